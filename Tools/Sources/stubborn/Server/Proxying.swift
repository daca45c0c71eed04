#if Proxy
    import Foundation
    import NIOSSL
    @_spi(Tools) import StubbornNetwork
    @_spi(Tools) import StubbornNetworkTooling
    @_spi(StubbornCommand) import StubbornProxy

    extension ProxyOptions {
        /// Records the requests of programs to servers.
        ///
        /// - Returns: The exit status of the program on the command line; 0 without one.
        func record(
            through network: StubbornNetwork,
            port: UInt16,
            trusting path: String?,
            isQuiet: Bool,
            running program: [String]
        ) async throws -> Int32 {
            let certificates = try path.map { path in
                guard let certificates = try? NIOSSLCertificate.fromPEMFile(path), !certificates.isEmpty else {
                    throw ToolError("\(path) is not a file with certificates as PEM text.")
                }
                return certificates
            }
            return try await run(program, port: port) {
                try await StubbornProxy(for: network, port: Int(port), trusting: certificates ?? []) {
                    line,
                    isProblem in
                    if isProblem || !isQuiet { Output.say(line) }
                }
            }
        }

        /// Plays recordings for programs that request their URLs.
        ///
        /// - Returns: The exit status of the program on the command line; 0 without one.
        func serve(_ server: StubServer, port: UInt16, running program: [String]) async throws -> Int32 {
            try await run(program, port: port) {
                try await StubbornProxy(port: Int(port), showing: { server.recordings.shown($0) }) { line, isProblem in
                    if isProblem || server.logsRequests { Output.say(line) }
                } answer: {
                    try await server.answer($0)
                }
            }
        }
    }

    extension StubServer {
        /// Answers a request for the URL of a recorded server.
        fileprivate func answer(_ request: StubRequest) async throws -> StubbornProxy.Answer {
            guard let target = RequestTarget(request.url) else { throw URLError(.badURL) }
            let answer = recordings.answer(target, isWebSocket: request.isWebSocket) { url in
                var request = request
                request.url = url
                return request
            }
            switch answer {
            case .invalidURL:
                return .response(.text("\(target.pathWithoutQuery) is not the path of a URL.", status: 400))
            case .unstubbed(let error, let file, let tried):
                let url = recordings.shown(request).url.absoluteString.prefix { $0 != "?" }
                Output.say("\(request.method) \(url): no stub answers")
                let report = report(error, file: file, tried: tried) { _ in
                    "stubborn record --proxy --to \(file.relativePath.shellQuoted) --add"
                }
                return .response(.text(report, status: 404, fields: ["X-Stubborn": "unmatched"]))
            case .steps(let steps, _):
                if case .webSocket(let socket)? = steps.first?.event { return .webSocket(socket) }
                return .response(try await play(steps, to: request))
            }
        }

        private func play(_ steps: [ServedStubs.Step], to request: StubRequest) async throws -> StreamedResponse {
            guard let first = steps.first else { throw URLError(.badServerResponse) }
            if first.seconds > 0 { try await Task.sleep(for: .seconds(first.seconds)) }
            guard case .head(var head) = first.event else {
                if case .failure(let error) = first.event {
                    try await wait(for: error)
                    throw error
                }
                throw URLError(.badServerResponse)
            }
            let length = head.headerFields["Content-Length"]
            var fields = HeaderFields()
            for field in head.headerFields {
                switch field.name.lowercased() {
                case "content-encoding", "content-length": break
                case "set-cookie":
                    // A session has joined these fields.
                    for cookie in ForwardedFields.cookies(in: field.value) {
                        fields.append(name: field.name, value: cookie)
                    }
                default: fields.append(name: field.name, value: field.value)
                }
            }
            let rest = steps.dropFirst()
            if request.method == "HEAD" || head.statusCode == 304 {
                fields["Content-Length"] = length
            } else if case .end? = rest.last?.event {
                let count = rest.reduce(0) { count, step in
                    if case .data(let data) = step.event { count + data.count } else { count }
                }
                // A response in parts has no length, nor has a response without a body.
                if length != nil { fields["Content-Length"] = "\(count)" }
            } else {
                // A response that ended early.
                fields["Content-Length"] = length
            }
            head.headerFields = fields
            return StreamedResponse(head: head, parts: parts(of: rest))
        }
    }
#endif
