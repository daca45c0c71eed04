import Foundation

extension LoopbackServer {
    /// What a handler answers.
    ///
    ///     Response(headers: [("Content-Type", "text/plain")], body: .data(Data("hello".utf8)))
    public struct Response: Sendable {
        /// The status code.
        public var status: Int

        /// The reason phrase; nil for the usual one.
        public var reason: String?

        /// The header fields, sent in this order and spelling, as UTF-8, and not checked.
        ///
        /// The framing of the body (`Content-Length`, `Transfer-Encoding`) is added unless it is given here.
        public var headers: [(name: String, value: String)]

        /// The body, and the way in which it is sent.
        public var body: Body

        /// Creates a response; without arguments, a 200 with an empty body.
        public init(
            status: Int = 200,
            reason: String? = nil,
            headers: [(name: String, value: String)] = [],
            body: Body = .none
        ) {
            self.status = status
            self.reason = reason
            self.headers = headers
            self.body = body
        }

        /// A plain text.
        public static func text(
            _ text: String,
            status: Int = 200,
            headers: [(name: String, value: String)] = []
        ) -> Response {
            let type = [(name: "Content-Type", value: "text/plain; charset=utf-8")]
            return Response(status: status, headers: type + headers, body: .data(Data(text.utf8)))
        }

        /// A JSON text, sent as given.
        public static func json(_ json: String, status: Int = 200) -> Response {
            Response(status: status, headers: [("Content-Type", "application/json")], body: .data(Data(json.utf8)))
        }

        /// A value as JSON with sorted keys.
        public static func json(encoding value: some Encodable) -> Response {
            let encoder = JSONEncoder()
            encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
            do {
                return Response(
                    headers: [("Content-Type", "application/json")],
                    body: .data(try encoder.encode(value))
                )
            } catch {
                return .text("\(error)", status: 500)
            }
        }
    }

    /// The way in which the bytes of a body are sent.
    ///
    /// The answer to a `HEAD` ends before the body, except for a raw one.
    public enum Body: Sendable {
        case none

        /// Sent with its `Content-Length`.
        case data(Data)

        /// The header at once, then step by step, each `send` a chunk of its own.
        case chunked([Step])

        /// The steps say all bytes, from `HTTP/1.1` on; status and headers of the response are not used.
        ///
        /// The connection ends (FIN) after the last step.
        case raw([Step])
    }

    /// One step of a body.
    public enum Step: Sendable {
        case send(Data)

        case wait(milliseconds: Int)

        /// Waits until a test calls `signal(_:)` with this name; each call lets one step pass.
        case waitForSignal(String)

        /// Ends the connection in the orderly way (FIN), however much of the body is missing.
        case close

        /// Ends the connection with a reset (RST).
        case reset

        /// Sends no more until the client closes the connection or the server stops.
        case hang

        /// A string, as UTF-8.
        public static func send(_ text: String) -> Step {
            .send(Data(text.utf8))
        }
    }
}
