#if canImport(FoundationNetworking) && !SIMULATES_APPLE
    import Dispatch
    import Foundation

    /// The parts of a URLSession task that are not public on Linux, read by reflection.
    ///
    /// Used only inside the first `startLoading` of a task, on its work queue: later other threads change some of the
    /// fields. A field that a newer Foundation does not have is `nil`.
    struct TaskReflection {
        private let task: URLSessionTask

        init(_ task: URLSessionTask) {
            self.task = task
        }

        /// The queue on which Foundation runs the task's protocol.
        var workQueue: DispatchQueue? {
            value(of: "workQueue", in: task) as? DispatchQueue
        }

        /// The session that the task belongs to.
        var session: URLSession? {
            value(of: "session", in: task).flatMap(unwrapped) as? URLSession
        }

        /// The body of an upload task, which its request does not have.
        enum Body {
            case none
            case data(Data)
            case file(URL)
            case stream(InputStream)
            /// A body that cannot be read from this version of Foundation, or none.
            case unreadable
        }

        var body: Body {
            guard let known = value(of: "knownBody", in: task) else { return .unreadable }
            guard let body = unwrapped(known), let content = Mirror(reflecting: body).children.first else {
                return .none
            }
            switch unwrapped(content.value) {
            case let data as Data: return .data(data)
            case let data as DispatchData: return .data(Data(data))
            case let file as URL: return .file(file)
            case let stream as InputStream: return .stream(stream)
            default: return .unreadable
            }
        }

        /// A Boolean value that indicates whether the task does not have to ask its delegate for its body.
        var hasKnownBody: Bool {
            value(of: "knownBody", in: task).flatMap(unwrapped) != nil
        }

        /// A Boolean value that indicates whether the task calls its session's delegate for each part of the body, as far
        /// as this is known; a completion handler would get only the last part.
        var callsDelegate: Bool {
            guard let behaviour else { return false }
            return (Mirror(reflecting: behaviour).children.first?.label ?? String(describing: behaviour))
                == "callDelegate"
        }

        /// The delegate that an async caller has set for this task only.
        var ownDelegate: (any URLSessionTaskDelegate)? {
            guard let behaviour, let payload = Mirror(reflecting: behaviour).children.first,
                payload.label == "dataCompletionHandlerWithTaskDelegate"
            else { return nil }
            return Mirror(reflecting: payload.value).children.lazy
                .compactMap { unwrapped($0.value) as? any URLSessionTaskDelegate }.first
        }

        /// The session's record of what to do with the task's data.
        private var behaviour: Any? {
            guard let session, let registry = value(of: "taskRegistry", in: session),
                let behaviours = value(of: "behaviours", in: registry)
            else { return nil }
            let pairs = Mirror(reflecting: behaviours).children.map { Array(Mirror(reflecting: $0.value).children) }
            return pairs.first { $0.count == 2 && $0[0].value as? Int == task.taskIdentifier }?[1].value
        }

        private func value(of label: String, in object: Any) -> Any? {
            sequence(first: Mirror(reflecting: object), next: \.superclassMirror).lazy
                .compactMap { $0.children.first { $0.label == label }?.value }.first
        }

        private func unwrapped(_ value: Any) -> Any? {
            let mirror = Mirror(reflecting: value)
            guard mirror.displayStyle == .optional else { return value }
            return mirror.children.first?.value
        }
    }
#endif
