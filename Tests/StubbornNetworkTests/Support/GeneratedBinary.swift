/// Documents of every shape for binary formats, with secrets at places that are drawn too.
enum GeneratedBinary {
    /// Returns a value with maps and lists inside each other, and adds the secrets in it to `secrets`.
    static func value(depth: Int, _ secrets: inout [String], _ generator: inout Generator) -> BinaryValue {
        let count = Int.random(in: 0...4, using: &generator)
        switch Int.random(in: 0..<(depth > 0 ? 9 : 6), using: &generator) {
        case 0: return .number(Int.random(in: -70_000...70_000, using: &generator))
        case 1: return .fraction(Double.random(in: -1...1, using: &generator))
        case 2: return .truth(Bool.random(using: &generator))
        case 3: return .bytes((0..<count * 9).map { _ in UInt8.random(in: 0...255, using: &generator) })
        case 4, 5:
            return .text(
                ["", "a", "Zoë", "aé\"\\\n", "an ordinary sentence", "😀"].randomElement(using: &generator) ?? ""
            )
        case 6: return .list((0..<count).map { _ in value(depth: depth - 1, &secrets, &generator) })
        default:
            var pairs = (0..<count).map { ("key\($0)", value(depth: depth - 1, &secrets, &generator)) }
            if Bool.random(using: &generator) {
                let (name, secret) = secret(&secrets, &generator)
                pairs.insert((name, secret), at: Int.random(in: 0...pairs.count, using: &generator))
            }
            return .map(pairs)
        }
    }

    private static func secret(_ secrets: inout [String], _ generator: inout Generator) -> (String, BinaryValue) {
        let alphabet = Array("abcdefghijkmnpqrstuvwxyzABCDEFGHJKLMNPQRSTUVWXYZ23456789")
        let length = Int.random(in: 12...300, using: &generator)
        let secret = String((0..<length).map { _ in alphabet.randomElement(using: &generator) ?? "x" })
        secrets.append(secret)
        let names = ["access_token", "password", "clientSecret", "apiKey", "refreshToken", "session_id"]
        let name = names.randomElement(using: &generator) ?? "password"
        switch Int.random(in: 0..<4, using: &generator) {
        case 0: return (name, .bytes(Array(secret.utf8)))
        case 1: return (name, .list([.text(secret)]))
        case 2: return ("outer", .map([(name, .text(secret)), ("id", .number(1))]))
        default: return (name, .text(secret))
        }
    }
}
