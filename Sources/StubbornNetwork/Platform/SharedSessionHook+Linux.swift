#if canImport(FoundationNetworking)
    import Foundation

    /// The way into `URLSession.shared`: its configuration, which is live here.
    ///
    /// Registering a class has no effect once any session has been used, because Foundation's own classes stand first then.
    enum SharedSessionHook {
        /// Whether the classes are asked in the context of the task that starts a request.
        static let tellsTasksApart = true

        /// Every list that stood there before, for ever. Foundation reads the list without a lock while tasks start: what it
        /// may be reading just now must not be freed when another list takes its place.
        private static let earlierLists = Lock<[[AnyClass]]>([])

        /// Has the classes asked before all others, now and for ever. One caller at a time.
        static func putFirst(_ classes: [URLProtocol.Type]) {
            let configuration = URLSession.shared.configuration
            let list = configuration.protocolClasses ?? []
            earlierLists.withLock { $0.append(list) }
            let ours = Set(classes.map { ObjectIdentifier($0) })
            configuration.protocolClasses = classes + list.filter { !ours.contains(ObjectIdentifier($0)) }
        }

        /// Whether a class that was put first is still there: the list is anyone's to replace.
        static func contains(_ protocolClass: URLProtocol.Type) -> Bool {
            URLSession.shared.configuration.protocolClasses?.contains { $0 == protocolClass } ?? false
        }
    }
#endif
