import Foundation

/// HTTP Archives in the shapes that different programs write, made from the specification of HAR 1.2 and the programs'
/// documentation.
enum Archive {
    static func of(_ entries: String...) -> String {
        #"{ "log": { "version": "1.2", "creator": { "name": "test", "version": "1" }, "entries": ["#
            + entries.joined(separator: ",\n") + "] } }"
    }

    /// Returns an archive with one request, which `Ada` answers.
    static func get(_ url: String) -> String {
        of(
            """
            { "request": { "method": "GET", "url": "\(url)" },
              "response": { "status": 200, "content": { "mimeType": "text/plain", "text": "Ada" } } }
            """
        )
    }

    /// Pseudo header fields, keys with `_`, a cookie field with a line feed, WebSockets, `data:` and `chrome-extension:`
    /// URLs, an error of the network and one of the browser.
    static let chrome = file("Chrome.har")

    /// A form only in parameters, a time zone, and a response whose body was not kept.
    static let firefox = file("Firefox.har")

    /// A content type that only the content has, and a fetch type.
    static let safari = file("Safari.har")

    /// A byte-order mark, numbers as strings, a character set other than UTF-8, and base64 with line breaks.
    static let charles = file("Charles.har")

    /// Microseconds, a compressed body in base64, a request body in base64, and no `queryString`.
    static let mitmproxy = file("Mitmproxy.har")

    private static func file(_ name: String) -> String {
        let archives = URL(fileURLWithPath: #filePath).deletingLastPathComponent().appendingPathComponent("../Archives")
        return (try? String(decoding: Data(contentsOf: archives.appendingPathComponent(name)), as: UTF8.self)) ?? ""
    }
}
