import Foundation
import Testing

@testable import StubbornNetwork

/// The strings that are placeholders, and those that only look like one.
struct PlaceholderFormTests {
    @Test(
        arguments: [
            ("REDACTED-token-1", "token", 1), ("REDACTED-api_key-12", "api_key", 12), ("REDACTED000000000001", "", 1),
            ("REDACTED0000000000000000000000000042A==", "", 42), ("ghp_REDACTED000000000007", "", 7),
            ("sk-live.REDACTED-token-3", "token", 3), ("5ec2e70000000001", "", 1), ("5EC2E70000000001", "", 1),
            ("5ec2e700-0000-4000-8000-000000000001", "uuid", 1), ("VOLATILE-timestamp-1", "VOLATILE-timestamp", 1),
            ("REDACTED", "", 0),
        ] as [(String, String, Int)]
    )
    func `a placeholder has its label and its number`(text: String, label: String, number: Int) {
        let match = text.withBytes { Placeholder.whole($0) }
        #expect(match?.label == label)
        #expect(match?.number == number)
    }

    @Test(arguments: [
        "REDACTED-", "REDACTED-token", "REDACTED-token-", "REDACTED-Token-1", "REDACTED-token-1x", "REDACTED00001",
        "redacted-token-1", "5ec2e7000000000", "5ec2e7000000000g", "5ec2e700-0000-4000-8000-00000000000", "VOLATILE",
        "VOLATILE-1", "a b REDACTED-token-1", "999999", "",
    ])
    func `what only looks like a placeholder is none`(text: String) {
        #expect(!text.withBytes { Placeholder.isWhole($0) })
    }
}
