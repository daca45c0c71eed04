#if canImport(FoundationNetworking)
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
            guard let session = value(of: "session", in: task) else { return nil }
            return unwrapped(session) as? URLSession
        }

        /// The body of an upload task.
        ///
        /// Its request does not have it.
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
            guard let body = unwrapped(known) else { return .none }
            guard let content = Mirror(reflecting: body).children.first else { return .none }
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

        /// A Boolean value that indicates whether the task calls its session's delegate for each part of the body.
        ///
        /// `false` for a task with a completion handler, which would get only the last part, and if this is unknown.
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
            for part in Mirror(reflecting: payload.value).children {
                if let delegate = unwrapped(part.value) as? any URLSessionTaskDelegate { return delegate }
            }
            return nil
        }

        /// The session's record of what to do with the task's data.
        private var behaviour: Any? {
            guard let session, let registry = value(of: "taskRegistry", in: session),
                let behaviours = value(of: "behaviours", in: registry)
            else { return nil }
            for entry in Mirror(reflecting: behaviours).children {
                let pair = Array(Mirror(reflecting: entry.value).children)
                guard pair.count == 2, pair[0].value as? Int == task.taskIdentifier else { continue }
                return pair[1].value
            }
            return nil
        }

        private func value(of label: String, in object: Any) -> Any? {
            var mirror: Mirror? = Mirror(reflecting: object)
            while let current = mirror {
                for child in current.children where child.label == label { return child.value }
                mirror = current.superclassMirror
            }
            return nil
        }

        private func unwrapped(_ value: Any) -> Any? {
            let mirror = Mirror(reflecting: value)
            guard mirror.displayStyle == .optional else { return value }
            return mirror.children.first?.value
        }
    }
#endif
