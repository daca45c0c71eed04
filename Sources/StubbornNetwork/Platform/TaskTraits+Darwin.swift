#if !canImport(FoundationNetworking) || SIMULATES_APPLE
    import Foundation

    extension URLSessionTask {
        /// The part of a task that this version of Foundation lacks: none, because all needed parts are public here.
        var missingPart: String? { nil }

        /// The reason why a task of this kind cannot be answered: none here.
        var unsupportedReason: String? { nil }

        /// A Boolean value that indicates whether a protocol that is stopped will be started again: never here.
        var isPausedByStopping: Bool { false }

        /// Returns the error with which the loader stops the task, such as the error of the session's resource timeout.
        ///
        /// Decompiled code suggests that a loader may set the error only after it has stopped the protocol. So this function waits
        /// for the error for at most a second while the task is being cancelled, on any thread except the loader's.
        var stopReason: StopReason {
            { [self] in
                for _ in 0..<200 where error == nil && state == .canceling { usleep(5_000) }
                if error == nil, state == .canceling { return nil }
                return (error as? URLError)?.unlessCancelled ?? CancellationError()
            }
        }

        /// The way in which the task gets its body, as far as it can be known here.
        func bodySource(of request: URLRequest) -> RequestBodySource {
            if self is URLSessionUploadTask { return .upload }
            return originalRequest?.httpBodyStream == nil ? .request : .stream
        }

        /// Returns the body that `URLProtocol` gets: usually a stream, even for a request that was created with data.
        ///
        /// The body of an upload may be only in the task. Its length is known there, or it is -1 for a stream.
        func body(for request: URLRequest) -> TaskBody {
            guard self is URLSessionUploadTask, request.httpBody == nil, request.httpBodyStream == nil else {
                return request.visibleBody
            }
            return countOfBytesExpectedToSend == 0 ? .known(nil) : .unreadable
        }
    }
#endif
