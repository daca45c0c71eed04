import Foundation
import StubbornNetwork
@_spi(Tools) import StubbornNetworkTooling

/// Stub files that a server plays, and the stubs that may answer a path.
struct ServedRecordings: Sendable {
    /// A stub file, and an origin for which it contains stubs.
    struct Candidate: Sendable, Hashable {
        let file: Int
        let origin: Origin
    }

    /// The stub files, in their order.
    let files: [URL]
    let stubCount: Int

    /// The origins of the recordings, in the order of their first stubs.
    let origins: [Origin]

    private let stubs: [ServedStubs]
    /// A network for each directory, which knows the directory's rules for secrets.
    private let networks: [StubbornNetwork]
    /// The candidates, in their order.
    private let candidates: [Candidate]
    /// The candidates with stubs for each path, decoded, in their order.
    private let candidatesByPath: [String: [Candidate]]
    private let first: Candidate

    /// Reads stub files.
    ///
    /// - Parameters:
    ///   - files: the files, in the order in which they are asked.
    ///   - hosts: the hosts to play; all if there are none.
    ///   - configure: changes the settings of the network of each file.
    /// - Throws: an error for a file that cannot be read, and for files without a stub.
    init(_ files: [URL], hosts: [String], configure: (StubbornNetwork) -> Void) throws {
        self.files = files
        var networks: [String: StubbornNetwork] = [:]
        stubs = try files.map { file in
            let network = StubbornNetwork(.stubFile(at: file), environment: [:])
            configure(network)
            networks[file.deletingLastPathComponent().path] = network
            return try ServedStubs(of: network)
        }
        self.networks = Array(networks.values)
        var seen: Set<Origin> = []
        var all: [Origin] = []
        var origins: [Origin] = []
        var candidates: [Candidate] = []
        var candidatesByPath: [String: [Candidate]] = [:]
        var known: Set<Candidate> = []
        var knownPaths: [String: Set<Candidate>] = [:]
        var count = 0
        for (index, stubs) in stubs.enumerated() {
            for request in stubs.requests {
                guard let origin = Origin(request.url) else { continue }
                let isNew = seen.insert(origin).inserted
                if isNew { all.append(origin) }
                guard hosts.isEmpty || hosts.contains(where: origin.isNamed) else { continue }
                if isNew { origins.append(origin) }
                count += 1
                let candidate = Candidate(file: index, origin: origin)
                if known.insert(candidate).inserted { candidates.append(candidate) }
                let path = Self.key(of: request.url)
                if knownPaths[path, default: []].insert(candidate).inserted {
                    candidatesByPath[path, default: []].append(candidate)
                }
            }
        }
        guard let first = candidates.first else {
            throw ToolError(
                all.isEmpty
                    ? "There is no stub to serve in \(files.map(\.relativePath).joined(separator: ", "))."
                    : "No stub is for \(hosts.joined(separator: " or ")). The recorded hosts are "
                        + all.map(\.hostAndPort).joined(separator: ", ") + "."
            )
        }
        self.first = first
        self.origins = origins
        self.candidates = candidates
        self.candidatesByPath = candidatesByPath
        stubCount = count
    }

    /// Returns the path of a URL in one of its spellings.
    private static func key(of url: URL) -> String {
        let path = URLComponents(url: url, resolvingAgainstBaseURL: true)?.percentEncodedPath ?? url.path
        return path.isEmpty ? "/" : path.removingPercentEncoding ?? path.lowercased()
    }

    /// Returns a URL with the spaces of its query written in the other ways: as `%20`, and as `+`.
    ///
    /// Clients in other languages write spaces as in a form.
    private static func otherSpellings(of url: URL) -> [URL] {
        let text = url.absoluteString
        guard let start = text.firstIndex(of: "?") else { return [] }
        return [("+", "%20"), ("%20", "+")].compactMap { old, new in
            let query = text[start...].replacingOccurrences(of: old, with: new)
            return query == text[start...] ? nil : URL(string: text[..<start] + query)
        }
    }

    /// Returns a request in the form for messages: without its secrets, by the rules of all directories.
    func shown(_ request: StubRequest) -> StubRequest {
        networks.reduce(request) { $1.shownForm(of: $0) }
    }

    /// The response to a request, or the reason why there is none.
    enum Answer {
        case steps([ServedStubs.Step], from: Origin)
        /// The report on the request that came closest, and the requests that were tried.
        case unstubbed(StubbornNetworkError, file: URL, tried: [URL])
        case invalidURL
    }

    /// Returns the response of the first stub that answers a request under the URL of a recorded origin.
    ///
    /// Files with a stub for the path are asked first, and then the others: the paths of their stubs may have placeholders, or
    /// parameters that the settings ignore.
    ///
    /// - Parameters:
    ///   - target: the address that the client has requested. If its host was recorded, no other host is tried.
    ///   - isWebSocket: a Boolean value that indicates whether the client opens a web socket.
    ///   - request: makes the request for a URL.
    /// - Returns: the response, or the reason why there is none.
    func answer(_ target: RequestTarget, isWebSocket: Bool = false, request: (URL) -> StubRequest) -> Answer {
        let origins = origins.filter { $0.isOfWebSockets == isWebSocket }
        let named = origins.filter {
            target.isExact ? $0.description == target.proxiedOrigin : $0.isNamed(by: target.host)
        }
        guard let sample = URL(asWritten: first.origin.description + target.path) else { return .invalidURL }
        let isElsewhere = target.proxiedOrigin != nil && named.isEmpty
        let allowed = isElsewhere ? [] : named.isEmpty ? origins : named
        var asked = candidatesByPath[Self.key(of: sample)] ?? []
        asked = asked.filter { allowed.contains($0.origin) }
        if asked.isEmpty {
            let origin = named.first ?? origins.first ?? first.origin.with(isOfWebSockets: isWebSocket)
            asked = [Candidate(file: first.file, origin: origin)]
        }
        // The search for a web socket makes a report in each file.
        let others = isWebSocket ? [] : candidates.filter { allowed.contains($0.origin) && !asked.contains($0) }
        var failure: (error: StubbornNetworkError, file: URL)?
        var tried: [URL] = []
        for candidate in asked + others {
            let origin = target.proxiedOrigin.flatMap { named.isEmpty ? $0 : nil } ?? candidate.origin.description
            guard let url = URL(asWritten: origin + target.path) else { return .invalidURL }
            for url in [url] + Self.otherSpellings(of: url) {
                let steps = stubs[candidate.file].steps(for: request(url), makesReport: false)
                if steps.isEmpty { continue }
                guard let error = Self.reportedError(in: steps) else { return .steps(steps, from: candidate.origin) }
                failure = failure ?? (error, files[candidate.file])
            }
            if asked.contains(candidate), !tried.contains(url) { tried.append(url) }
        }
        if failure == nil, let error = Self.reportedError(in: stubs[asked[0].file].steps(for: request(tried[0]))) {
            failure = (error, files[asked[0].file])
        }
        guard let failure else { return .invalidURL }
        return .unstubbed(failure.error, file: failure.file, tried: tried)
    }

    /// Returns the error with the report on a request that no stub answers; `nil` for the steps of a response.
    private static func reportedError(in steps: [ServedStubs.Step]) -> StubbornNetworkError? {
        guard case .failure(let error as StubbornNetworkError)? = steps.first?.event else { return nil }
        return error.report == nil ? nil : error
    }
}
