import Testing

@testable import StubbornNetwork

struct SecretValuesTests {
    @Test(arguments: [
        ("9f8a7b6c5d", true), ("AIzaSy-9tSrke72", true), ("481292", false), ("48129266", false), ("12-34-56-78", false),
        ("price_2024", false), ("en-US", false), ("iPhone5s-case", false), ("user_name", false), ("SAVE20NOW", true),
        ("iPhone15Pro", true),
        ("two words 1a2b3c", false), ("abcdefghijklmnopqrst", false), ("aBcDeFgHiJkLmNoPqRsT", true),
        ("aBcDeFgHiJkLmNoPqRs", false), ("1a2b3", false), ("", false),
    ])
    func `a value looks random if a word mixes letters and digits or is long and mixed-case`(
        value: String,
        isRandom: Bool
    ) {
        #expect(value.withBytes { SecretValues.looksRandom($0) } == isRandom)
    }

    @Test(arguments: [
        ("hunt3r", true), ("sunshine", false), ("Sunshine", false), ("sunShine", true), ("onehundredbees", true),
        ("1234567", false), ("12345678", true), ("aaaaaaaaaaaa", false), ("password", false), ("a1b2", false),
        ("REDACTED-token-1", false),
    ])
    func `a secret that may occur elsewhere by chance is replaced only in its own field`(
        value: String,
        isFollowed: Bool
    ) {
        #expect(value.withBytes { SecretValues.isFollowable($0) } == isFollowed)
    }

    @Test(arguments: [
        ("is too short", true), ("must be at least 8 characters", true), ("Please try again", true), ("too", false),
        ("is 4x7Kq9Zw", false), ("correct horse battery staple", false),
    ])
    func `a validation message is recognised by its first words`(value: String, isRemark: Bool) {
        #expect(value.withBytes { SecretValues.isRemark($0) } == isRemark)
    }
}
