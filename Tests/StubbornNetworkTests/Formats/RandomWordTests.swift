import Foundation
import Testing

@testable import StubbornNetwork

struct RandomWordTests {
    @Test(arguments: [
        "9f8a7b6c5d", "a1b2c3d4", "kX9fP2mQ7w", "x-9f8a7b6c5d-y", "123e4567-e89b-12d3-a456-426614174000",
    ])
    func `a key looks random`(text: String) {
        #expect(text.withBytes { RandomText.looksRandom($0) })
    }

    @Test(arguments: [
        "SUMMER2024", "iPhone5s-case", "2026-11-22T15:00:00Z", "20261122T150000Z",
        "0x52908400098527886E0F7030069857D2E4169EE7",
        "userName", "application", "a1b2c3", "abcd-efgh", "main-page-text", "1234567",
    ])
    func `a word, a date and an address do not look random`(text: String) {
        #expect(!text.withBytes { RandomText.looksRandom($0) })
    }

    @Test func `what is drawn at random looks so in nearly all cases, and words of a language in nearly none`() {
        let alphabet = Array("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789")
        var random = Generator(seed: 11)
        let drawn = (0..<1_000).filter { _ in
            let text = String((0..<24).map { _ in alphabet[Int.random(in: 0..<62, using: &random)] })
            return text.withBytes { RandomText.looksRandom($0) }
        }
        #expect(drawn.count > 990)
        let words = [
            "order", "customer", "payment", "address", "description", "status", "created", "history", "message",
        ]
        let spoken = (0..<1_000).filter { _ in
            let text = (0..<4).map { _ in words[Int.random(in: 0..<words.count, using: &random)] }.joined(
                separator: "-"
            )
            return text.withBytes { RandomText.looksRandom($0) }
        }
        #expect(spoken.isEmpty)
    }
}
