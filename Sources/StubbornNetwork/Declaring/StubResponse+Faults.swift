import Foundation

extension StubResponse {
    /// `URLError.timedOut`, at once. For one that takes its time: `.neverAnswering`.
    public static let timedOut = StubResponse.failure(URLError(.timedOut))

    /// `URLError.cannotConnectToHost`: nobody listens, or the connection is refused.
    public static let connectionRefused = StubResponse.failure(URLError(.cannotConnectToHost))

    /// `URLError.cannotFindHost`: the name has no address.
    public static let hostNotFound = StubResponse.failure(URLError(.cannotFindHost))

    /// `URLError.networkConnectionLost`, before a response came.
    public static let connectionLost = StubResponse.failure(URLError(.networkConnectionLost))

    /// `URLError.notConnectedToInternet`.
    public static let offline = StubResponse.failure(URLError(.notConnectedToInternet))

    /// No answer: the request ends in `URLError.timedOut` when its own timeout is over, or when it is cancelled.
    public static let neverAnswering = StubResponse.status(200).delayed(by: .never)

    /// The same, and the connection breaks after so many bytes of the body: `URLError.networkConnectionLost`.
    ///
    ///     network.stub(.path("/film"), with: .file(at: url).dropped(afterByteCount: 1_000))
    ///
    /// The head promises the whole body. A body that is shorter arrives whole, and the end is missing.
    public func dropped(afterByteCount byteCount: Int) -> StubResponse {
        // A body that cannot be read fails when it is played.
        guard let whole = try? body ?? Data() else { return self }
        var response = self
        response.content = .data(whole.prefix(max(0, byteCount)))
        response.failure = StubFailure(URLError(.networkConnectionLost))
        if response.head?.headerFields["Content-Length"] == nil, byteCount < whole.count {
            response.head?.headerFields["Content-Length"] = String(whole.count)
        }
        return response
    }

    /// The same, with the body in parts of so many bytes, and a pause before each but the first.
    ///
    ///     network.stub(.path("/events"), with: .text(events).chunked(byteCount: 64, every: .milliseconds(50)))
    ///
    /// - Parameter byteCount: at least one. A body of more than ten thousand parts comes in ten thousand.
    public func chunked(byteCount: Int, every pause: DispatchTimeInterval) -> StubResponse {
        var response = self
        let count = (try? body)?.count ?? 0
        let length = max(1, byteCount, count / 10_000)
        response.pace.bytesPerSecond = nil
        response.pace.chunks = stride(from: 0, to: count, by: length).enumerated().map { number, start in
            Pace.Chunk(seconds: Double(number) * pause.seconds, length: min(length, count - start))
        }
        return response
    }

    /// A response with the content of a file beside the test, or in a folder `Fixtures` or `Resources` beside it; the
    /// content type follows from the extension.
    ///
    ///     network.stub(.get("/items"), with: .fixture("items.json"))
    ///
    /// - Parameters:
    ///   - name: the file's name with extension, and the folder beside the test where it lies in one.
    ///   - responseTime: the time until the response comes; none by default.
    ///   - file: the test's source file.
    public static func fixture(
        _ name: String,
        responseTime: DispatchTimeInterval? = nil,
        beside file: StaticString = #filePath
    ) -> StubResponse {
        let directory = URL(fileURLWithPath: "\(file)").deletingLastPathComponent()
        let places = ["", "Fixtures", "Resources"].map { folder in
            (folder.isEmpty ? directory : directory.appendingPathComponent(folder)).appendingPathComponent(name)
        }
        return fixture(name, searching: places, advice: "Put it beside the test.", responseTime: responseTime)
    }

    static func fixture(
        _ name: String,
        searching places: [URL],
        advice: String,
        responseTime: DispatchTimeInterval?
    ) -> StubResponse {
        guard let found = places.first(where: { FileManager.default.fileExists(atPath: $0.path) }) else {
            let searched = places.map(\.path).joined(separator: ", ")
            return invalid("There is no fixture \"\(name)\". Searched: \(searched). \(advice)")
        }
        let response = self.file(at: found)
        return responseTime.map { response.delayed(by: $0) } ?? response
    }
}
