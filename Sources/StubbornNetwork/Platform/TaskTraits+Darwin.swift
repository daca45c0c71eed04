#if !canImport(FoundationNetworking)
    import Foundation

    extension URLSessionTask {
        /// The reason why a task of this kind cannot be answered: none here.
        var unsupportedReason: String? { nil }

        /// A Boolean value that indicates whether the body may be delivered in parts: Foundation puts them together if
        /// needed.
        var takesBodyInParts: Bool { true }

        /// The way in which the task gets its body, as far as it can be known here.
        func bodySource(of request: URLRequest) -> RequestBodySource {
            if self is URLSessionUploadTask { return .upload }
            return originalRequest?.httpBodyStream == nil ? .request : .stream
        }

        /// Returns the body that `URLProtocol` gets: usually a stream, also for a request that was created with data.
        func body(for request: URLRequest) -> TaskBody {
            if let body = request.httpBody { return .known(body) }
            guard let stream = request.httpBodyStream else { return .known(nil) }
            let transfer = UncheckedTransfer(stream)
            return .deferred { try transfer.value.readToEnd() }
        }
    }
#endif
