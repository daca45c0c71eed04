extension LoopbackServer {
    /// The routes whose body comes in pieces.
    ///
    /// - `/chunked/3`: `chunk 1` to `chunk 3`, each a line and a chunk
    /// - `/slow/3?ms=50`: the same with a wait before each chunk, of 100 ms unless given
    /// - `/sse?events=3`: so many server-sent events, of which the first is `id: 1`, `event: tick`, `data: event 1`.
    ///   Each waits for `signal("sse")`, or for the signal that `signal=NAME` names; three events unless given
    static let streamingRoutes: [String: Route] = [
        "chunked": { _, parameters in
            guard let count = number(parameters, in: 0...10_000) else { return nil }
            return Response(headers: plainText, body: .chunked(lines(count)))
        },
        "slow": { request, parameters in
            guard let count = number(parameters, in: 0...10_000),
                let milliseconds = number([request.query("ms") ?? "100"], in: 0...60_000)
            else { return nil }
            let steps = lines(count).flatMap { [.wait(milliseconds: milliseconds), $0] }
            return Response(headers: plainText, body: .chunked(steps))
        },
        "sse": { request, _ in
            guard let count = number([request.query("events") ?? "3"], in: 0...10_000) else { return nil }
            let signal = request.query("signal") ?? "sse"
            let steps = (0..<count).flatMap { index -> [Step] in
                let event = "id: \(index + 1)\nevent: tick\ndata: event \(index + 1)\n\n"
                return [.waitForSignal(signal), .send(event)]
            }
            return Response(
                headers: [("Content-Type", "text/event-stream"), ("Cache-Control", "no-store")],
                body: .chunked(steps)
            )
        },
    ]

    private static let plainText = [(name: "Content-Type", value: "text/plain; charset=utf-8")]

    private static func lines(_ count: Int) -> [Step] {
        (0..<count).map { .send("chunk \($0 + 1)\n") }
    }
}
