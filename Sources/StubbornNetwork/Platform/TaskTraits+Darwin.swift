#if !canImport(FoundationNetworking)
    import Foundation

    extension URLSessionTask {
        /// Why a task of this kind cannot be answered: every kind that reaches a custom protocol can be.
        var unsupportedReason: String? { nil }

        /// Whether the body reaches its receiver in parts: Foundation puts them together where they are wanted whole.
        var takesBodyInParts: Bool { true }

        /// The body as `URLProtocol` sees it: usually a stream, also where the request was given data.
        func body(for request: URLRequest) -> TaskBody {
            if let body = request.httpBody { return .known(body) }
            guard let stream = request.httpBodyStream else { return .known(nil) }
            let transfer = UncheckedTransfer(stream)
            return .deferred { try transfer.value.readToEnd() }
        }
    }
#endif
