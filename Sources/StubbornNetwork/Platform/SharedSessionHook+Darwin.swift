#if !canImport(FoundationNetworking)
    import Foundation

    /// The way into `URLSession.shared`: registered classes, of which the newest is asked first. The session's
    /// configuration is a copy here.
    enum SharedSessionHook {
        /// Whether the classes are asked in the context of the task that starts a request.
        static let tellsTasksApart = false

        private static let registered = Lock<Set<ObjectIdentifier>>([])

        /// Has the classes asked before all others, now and for ever. One caller at a time.
        static func putFirst(_ classes: [URLProtocol.Type]) {
            // Those that are there stay there: a request must not slip by while one is away.
            for protocolClass in classes.reversed() where !contains(protocolClass) {
                URLProtocol.registerClass(protocolClass)
                _ = registered.withLock { $0.insert(ObjectIdentifier(protocolClass)) }
            }
        }

        /// Whether a class has been put first.
        static func contains(_ protocolClass: URLProtocol.Type) -> Bool {
            registered.withLock { $0.contains(ObjectIdentifier(protocolClass)) }
        }
    }
#endif
