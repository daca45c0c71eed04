#if canImport(FoundationNetworking) && !SIMULATES_APPLE
    import Foundation

    extension URLSessionTask {
        /// Returns the body that the task sends, inside the first `startLoading`.
        func body(for request: URLRequest) -> TaskBody {
            guard self is URLSessionUploadTask else { return request.visibleBody }
            return TaskReflection(task: self).body ?? streamFromDelegate() ?? request.visibleBody
        }

        /// Returns the way in which the task gets its body, inside the first `startLoading`.
        func bodySource(of request: URLRequest) -> RequestBodySource {
            guard self is URLSessionUploadTask else { return request.httpBodyStream == nil ? .request : .stream }
            guard TaskReflection(task: self).hasKnownBody else { return .delegate }
            // The header fields describe the body of the request, although a different body is sent.
            return request.httpBody?.isEmpty == false ? .request : .upload
        }

        /// The part of a task that this version of Foundation lacks; `nil` if nothing is missing.
        var missingPart: String? { TaskReflection(task: self).missingPart }

        /// Returns the task's current error.
        ///
        /// A reference to the task would be a cycle, because the task has the protocol.
        var stopReason: StopReason {
            let error: any Error = (error as? URLError)?.unlessCancelled ?? CancellationError()
            return { error }
        }

        /// The reason why a task of this kind cannot be answered; `nil` if it can be.
        ///
        /// If a custom URLProtocol answers a download, Foundation crashes: it moves the body to a file whose property
        /// no protocol can set.
        var unsupportedReason: String? {
            guard self is URLSessionDownloadTask else { return nil }
            return """
                Download tasks cannot be answered on Linux: Foundation crashes when a custom URLProtocol answers one. Use \
                `data(for:)`, or a data task, and write the body to a file.
                """
        }

        /// A Boolean value that indicates whether the body may be delivered in parts, inside the first `startLoading`:
        /// a completion handler and an async caller would get only the last part.
        var takesBodyInParts: Bool {
            guard delegate is any URLSessionDataDelegate else { return false }
            return TaskReflection(task: self).callsDelegate
        }

        /// A Boolean value that indicates whether a protocol that is stopped will be started again: Foundation stops the
        /// protocol of a task that is suspended.
        var isPausedByStopping: Bool { state == .suspended }

        /// Returns the body stream that the session's delegate has for a streamed upload.
        private func streamFromDelegate() -> TaskBody? {
            guard let delegate, let session = TaskReflection(task: self).session else { return nil }
            let transfer = UncheckedTransfer(delegate)
            return .deferred {
                let result = Lock<UncheckedTransfer<InputStream?>>(UncheckedTransfer(nil))
                let answered = DispatchSemaphore(value: 0)
                session.delegateQueue.addOperation {
                    transfer.value.urlSession(session, task: self) { stream in
                        let stream = UncheckedTransfer(stream)
                        result.withLock { $0 = stream }
                        answered.signal()
                    }
                }
                // Sending the request without its body would be wrong.
                guard answered.wait(timeout: .now() + 60) == .success,
                    let stream = result.withLock({ $0 }).value
                else { throw URLError(.requestBodyStreamExhausted) }
                return try stream.readToEnd()
            }
        }
    }
#endif
