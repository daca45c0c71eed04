import Foundation
import Testing

/// A headless Chromium, driven over WebDriver (https://www.w3.org/TR/webdriver2/).
final class Browser: Sendable {
    /// The driver of Debian's package chromium-driver, or where Homebrew puts it; `nil` if there is none.
    static let driver = ["/usr/bin/chromedriver", "/usr/local/bin/chromedriver", "/opt/homebrew/bin/chromedriver"]
        .first { FileManager.default.isExecutableFile(atPath: $0) }

    private let process: Process
    private let session: URL

    /// Starts the browser.
    init() throws {
        var driver = try Self.startDriver()
        // The driver takes a free port of IPv6, and ends where IPv4 has the same port in use. The next one takes another.
        for _ in 1...10 where driver.port == nil { driver = try Self.startDriver() }
        process = driver.process
        let port = try #require(driver.port, "chromedriver has ended: \(driver.output)")
        let root = try #require(URL(string: "http://127.0.0.1:\(port)/session"))
        let arguments = ["--headless=new", "--no-sandbox", "--disable-gpu", "--window-size=1200,900"]
        let options: [String: Any] = [
            "browserName": "chrome", "goog:chromeOptions": ["args": arguments],
            // What a click shows may come a moment later.
            "timeouts": ["implicit": 5_000],
        ]
        let answer = try Self.send("POST", root, ["capabilities": ["alwaysMatch": options]])
        session = root.appendingPathComponent(try #require((answer as? [String: Any])?["sessionId"] as? String))
    }

    /// Starts chromedriver, and returns the port that it listens on: `nil` if it has ended.
    private static func startDriver() throws -> (process: Process, port: Substring?, output: String) {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: try #require(driver))
        process.arguments = ["--port=0"]
        let output = Pipe()
        process.standardOutput = output
        process.standardError = FileHandle.nullDevice
        try process.run()
        var text = ""
        while true {
            // "ChromeDriver was started successfully on port 43211."
            if let port = text.firstMatch(of: /on port (\d+)\./)?.1 { return (process, port, text) }
            let data = output.fileHandleForReading.availableData
            if data.isEmpty { return (process, nil, text) }
            text += String(decoding: data, as: UTF8.self)
        }
    }

    /// Ends the browser.
    func end() {
        _ = try? Self.send("DELETE", session)
        // A process that was started on a thread without signals ignores SIGTERM.
        kill(process.processIdentifier, SIGKILL)
        process.waitUntilExit()
    }

    func open(_ url: URL) throws {
        _ = try Self.send("POST", session.appendingPathComponent("url"), ["url": url.absoluteString])
    }

    /// Clicks the first element that a CSS selector finds, as a person does: it has to be visible.
    func click(_ selector: String) throws {
        _ = try Self.send("POST", try element(selector).appendingPathComponent("click"), [:])
    }

    /// Types a string into the first element that a CSS selector finds.
    func type(_ text: String, into selector: String) throws {
        _ = try Self.send("POST", try element(selector).appendingPathComponent("value"), ["text": text])
    }

    /// Returns the value of an expression in JavaScript, as text.
    func value(_ expression: String) throws -> String {
        let script: [String: Any] = ["script": "return String(\(expression));", "args": [String]()]
        return try Self.send("POST", session.appendingPathComponent("execute/sync"), script) as? String ?? ""
    }

    /// Returns the text of the first element that a CSS selector finds, as it is rendered.
    func text(_ selector: String) throws -> String {
        try Self.send("GET", try element(selector).appendingPathComponent("text")) as? String ?? ""
    }

    /// Returns a picture of the window, as PNG.
    func screenshot() throws -> Data {
        let text = try Self.send("GET", session.appendingPathComponent("screenshot")) as? String
        return try #require(text.flatMap { Data(base64Encoded: $0) })
    }

    private func element(_ selector: String) throws -> URL {
        let query = ["using": "css selector", "value": selector]
        let found = try Self.send("POST", session.appendingPathComponent("element"), query) as? [String: String]
        return session.appendingPathComponent("element").appendingPathComponent(try #require(found?.values.first))
    }

    private struct Failure: Error { let message: String }

    /// Sends a command with curl: URLSession on Linux refuses chromedriver's header fields, which have no space after the
    /// colon.
    private static func send(_ method: String, _ url: URL, _ body: [String: Any]? = nil) throws -> Any? {
        let data = try body.map { try JSONSerialization.data(withJSONObject: $0) }
        let answer = try Tool.run(
            URL(fileURLWithPath: "/usr/bin/env"),
            ["curl", "--silent", "--fail-with-body", "--request", method, "--data-binary", "@-", url.absoluteString],
            in: FileManager.default.temporaryDirectory,
            input: data ?? Data()
        )
        guard answer.status == 0 else { throw Failure(message: "\(method) \(url.path): \(answer.output)") }
        return (try JSONSerialization.jsonObject(with: answer.outputData) as? [String: Any])?["value"]
    }
}
