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
            // Such a task has no body until it asks its delegate.
            guard HiddenParts.content("knownBody", of: self) != nil else { return .delegate }
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
            return TaskReflection(task: self).behaviour?.name == "callDelegate"
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

    /// The parts of a URLSession task that are not public on Linux, read by reflection.
    ///
    /// This is used only inside the first `startLoading` of a task, on its work queue: later, other threads change some
    /// of the fields.
    struct TaskReflection {
        let task: URLSessionTask

        /// The part that this version of Foundation lacks; `nil` if it has all of them.
        ///
        /// It is determined with the first task of the process, because it is the same for all tasks.
        var missingPart: String? { Self.missingPart.withLock { $0.orSet { Self.missingPart(of: task) } } }

        private static let missingPart = Lock<String??>(nil)

        /// Returns the name of the part that a task lacks.
        static func missingPart(of task: Any) -> String? {
            guard HiddenParts.content("workQueue", of: task) is DispatchQueue else { return "workQueue" }
            guard HiddenParts.part("knownBody", of: task) != nil else { return "knownBody" }
            guard let session = HiddenParts.content("session", of: task) else { return "session" }
            guard let registry = HiddenParts.content("taskRegistry", of: session) else { return "session.taskRegistry" }
            guard let behaviours = HiddenParts.content("behaviours", of: registry),
                Self.behaviours(in: behaviours).allSatisfy({ $0.id != nil && Self.names.contains($0.name) })
            else { return "session.taskRegistry.behaviours" }
            return nil
        }

        /// The queue on which Foundation runs the task's protocol.
        var workQueue: DispatchQueue? { HiddenParts.content("workQueue", of: task) as? DispatchQueue }

        /// The session that the task belongs to.
        var session: URLSession? { HiddenParts.content("session", of: task) as? URLSession }

        /// The body of an upload task, which its request lacks; `nil` if the task has no body.
        var body: TaskBody? {
            let known = HiddenParts.content("knownBody", of: task)
            guard let content = known.flatMap({ Mirror(reflecting: $0).children.first }) else { return nil }
            switch HiddenParts.unwrapped(content.value) {
            case let data as Data: return .known(data)
            case let data as DispatchData: return .known(Data(data))
            case let file as URL: return .deferred { try Data(contentsOf: file) }
            case let stream as InputStream: return .stream(stream)
            default: return .unreadable
            }
        }

        /// The delegate that an async caller has set for this task only.
        var ownDelegate: (any URLSessionTaskDelegate)? {
            guard let behaviour, behaviour.name == "dataCompletionHandlerWithTaskDelegate",
                let payload = behaviour.payload
            else { return nil }
            return Mirror(reflecting: payload).children.lazy
                .compactMap { HiddenParts.unwrapped($0.value) as? any URLSessionTaskDelegate }.first
        }

        /// A session's record of how to handle the data of one task.
        fileprivate struct Behaviour {
            let id: Int?
            let name: String
            var payload: Any?

            init(_ entry: Any) {
                let parts = Array(Mirror(reflecting: entry).children)
                id = parts.first?.value as? Int
                let content = parts.last.flatMap { Mirror(reflecting: $0.value).children.first }
                name = content?.label ?? parts.last.map { String(describing: $0.value) } ?? ""
                payload = content?.value
            }
        }

        /// The names that a behavior can have.
        private static let names: Set<String> = [
            "callDelegate", "dataCompletionHandler", "dataCompletionHandlerWithTaskDelegate",
            "downloadCompletionHandler", "downloadCompletionHandlerWithTaskDelegate",
        ]

        private static func behaviours(in list: Any) -> LazyMapSequence<Mirror.Children, Behaviour> {
            Mirror(reflecting: list).children.lazy.map { Behaviour($0.value) }
        }

        fileprivate var behaviour: Behaviour? {
            HiddenParts.content("session", of: task).flatMap { HiddenParts.content("taskRegistry", of: $0) }
                .flatMap { HiddenParts.content("behaviours", of: $0) }
                .flatMap { Self.behaviours(in: $0).first { $0.id == task.taskIdentifier } }
        }
    }
#endif
