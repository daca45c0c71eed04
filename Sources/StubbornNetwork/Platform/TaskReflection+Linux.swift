#if canImport(FoundationNetworking) && !SIMULATES_APPLE
    import Dispatch
    import Foundation

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

        /// A Boolean value that indicates whether the task has its body without asking its delegate.
        var hasKnownBody: Bool { HiddenParts.content("knownBody", of: task) != nil }

        /// A Boolean value that indicates whether the task calls its session's delegate for each part of the body; a
        /// completion handler would get only the last part.
        var callsDelegate: Bool { behaviour?.name == "callDelegate" }

        /// The delegate that an async caller has set for this task only.
        var ownDelegate: (any URLSessionTaskDelegate)? {
            guard let behaviour, behaviour.name == "dataCompletionHandlerWithTaskDelegate",
                let payload = behaviour.payload
            else { return nil }
            return Mirror(reflecting: payload).children.lazy
                .compactMap { HiddenParts.unwrapped($0.value) as? any URLSessionTaskDelegate }.first
        }

        /// A session's record of how to handle the data of one task.
        private struct Behaviour {
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

        private var behaviour: Behaviour? {
            HiddenParts.content("session", of: task).flatMap { HiddenParts.content("taskRegistry", of: $0) }
                .flatMap { HiddenParts.content("behaviours", of: $0) }
                .flatMap { Self.behaviours(in: $0).first { $0.id == task.taskIdentifier } }
        }
    }
#endif
