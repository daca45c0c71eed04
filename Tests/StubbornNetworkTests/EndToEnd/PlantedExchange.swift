import Foundation
import Testing

/// An exchange with a secret in it, as an app and a server would have it.
///
/// Secrets are made of parts, so that no scanner takes this file for a leak.
struct PlantedExchange: Sendable, CustomTestStringConvertible {
    struct Content: Sendable {
        var path = "/items"
        var fields: [String: String] = [:]
        var body: Data?
        var answerFields: [(name: String, value: String)] = [("Content-Type", "application/json")]
        var answer = Data("{}".utf8)
    }

    var testDescription: String
    var secret: String

    /// Another of the same kind, as it would be on the day of playback.
    var another: String

    /// A Boolean value that indicates whether the request shows by itself that it holds a secret, so that another one
    /// is answered the same.
    var isRecognisedInRequest = true

    var content: @Sendable (String) -> Content

    // MARK: Values

    static let plain = ("s3cr" + "et-Va1ue" + "-9f8e7d6c", "0th3r-Va1ue" + "-1a2b3c4d")
    static let awkward = ("p@ss/w+rd" + " \"q\"&<1>=é", "an0ther/w+rd" + " 'q'&<2>=ü")
    static let hex = ("9f86d081884c7d65" + "9a2feaa0c55ad015", "0a1b2c3d4e5f6071" + "8293a4b5c6d7e8f9")
    static let pin = ("48291377", "90417265")

    static func base64(_ text: String, urlSafe: Bool = false) -> String {
        let text = Data(text.utf8).base64EncodedString()
        guard urlSafe else { return text }
        return text.replacingOccurrences(of: "+", with: "-").replacingOccurrences(of: "/", with: "_")
            .replacingOccurrences(of: "=", with: "")
    }

    static func token(_ claims: String) -> String {
        base64(#"{"alg":"HS256","typ":"JWT"}"#, urlSafe: true) + "." + base64(claims, urlSafe: true)
    }

    /// Percent-encoding of everything but letters and digits.
    static func percent(_ text: String, everything: Bool = false, lower: Bool = false) -> String {
        text.utf8.map { byte in
            let isPlain = !everything && (48...57 ~= byte || 65...90 ~= byte || 97...122 ~= byte)
            return isPlain ? String(decoding: [byte], as: UTF8.self) : "%" + hexDigits(byte, lower: lower)
        }.joined()
    }

    static func form(_ text: String) -> String { percent(text).replacingOccurrences(of: "%20", with: "+") }

    /// The inside of a JSON string, with a Unicode escape for each character where asked for.
    static func json(_ text: String, everything: Bool = false) -> String {
        text.utf16.map { unit in
            if everything || unit == 0x22 || unit == 0x5C {
                return "\\u" + hexDigits(UInt8(unit >> 8)) + hexDigits(UInt8(unit & 255))
            }
            return unit == 0x2F ? "\\/" : String(decoding: [unit], as: UTF16.self)
        }.joined()
    }

    static func entities(_ text: String, hex: Bool) -> String {
        text.unicodeScalars.map { hex ? "&#x\(String($0.value, radix: 16));" : "&#\($0.value);" }.joined()
    }

    static func xml(_ text: String) -> String {
        text.replacingOccurrences(of: "&", with: "&amp;").replacingOccurrences(of: "<", with: "&lt;")
            .replacingOccurrences(of: "\"", with: "&quot;")
    }

    private static func hexDigits(_ byte: UInt8, lower: Bool = false) -> String {
        let digits = Array((lower ? "0123456789abcdef" : "0123456789ABCDEF").utf8)
        return String(decoding: [digits[Int(byte >> 4)], digits[Int(byte & 15)]], as: UTF8.self)
    }

    // MARK: Makers

    static func request(
        _ name: String,
        _ secret: (String, String) = plain,
        recognised: Bool = true,
        _ content: @escaping @Sendable (String) -> Content
    ) -> PlantedExchange {
        PlantedExchange(
            testDescription: name,
            secret: secret.0,
            another: secret.1,
            isRecognisedInRequest: recognised,
            content: content
        )
    }

    static func path(_ name: String, _ secret: (String, String) = plain, _ path: @escaping @Sendable (String) -> String)
        -> PlantedExchange
    {
        request(name, secret) { Content(path: path($0)) }
    }

    static func field(
        _ name: String,
        _ secret: (String, String) = plain,
        _ value: @escaping @Sendable (String) -> String
    )
        -> PlantedExchange
    {
        request("header \(name)", secret) { Content(fields: [name: value($0)]) }
    }

    static func answerField(
        _ name: String,
        _ secret: (String, String) = plain,
        _ value: @escaping @Sendable (String) -> String
    ) -> PlantedExchange {
        request("response header \(name)", secret) { Content(answerFields: [(name, value($0))]) }
    }

    /// The same body in a request, and in a response to another.
    static func bodies(
        _ name: String,
        _ type: String,
        _ secret: (String, String) = plain,
        _ body: @escaping @Sendable (String) -> String
    ) -> [PlantedExchange] {
        data(name, type, secret) { Data(body($0).utf8) }
    }

    static func data(
        _ name: String,
        _ type: String,
        _ secret: (String, String),
        _ body: @escaping @Sendable (String) -> Data
    ) -> [PlantedExchange] {
        [
            request("request \(name)", secret) { Content(fields: ["Content-Type": type], body: body($0)) },
            request("response \(name)", secret) {
                Content(answerFields: [("Content-Type", type)], answer: body($0))
            },
        ]
    }

    /// A password that the response recognizes, spelled in some way in the request, under names that say nothing.
    static func copies(_ name: String, _ secret: (String, String), _ spelling: @escaping @Sendable (String) -> String)
        -> PlantedExchange
    {
        request("copy \(name)", secret, recognised: false) { secret in
            let spelled = spelling(secret)
            return Content(
                path: "/items?note=" + percent(secret),
                fields: ["X-Note": "see \(percent(secret)) there", "Content-Type": "text/plain"],
                body: Data("copy: \(spelled);".utf8),
                answer: Data(#"{"password":"\#(json(secret))","note":"\#(json(spelled))"}"#.utf8)
            )
        }
    }
}
