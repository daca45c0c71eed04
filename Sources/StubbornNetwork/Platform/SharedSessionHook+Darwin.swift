#if !canImport(FoundationNetworking) || SIMULATES_APPLE
    import Foundation

    /// The registration of protocol classes for `URLSession.shared`, whose configuration is a copy here; the newest is
    /// asked first.
    enum SharedSessionHook {
        /// A Boolean value that indicates whether the classes are asked in the context of the task that starts a
        /// request.
        static let tellsTasksApart = false

        /// A Boolean value that indicates whether a class is asked only once for a request.
        static let asksOnce = false

        /// The classes that are registered, in the order in which they are asked.
        static let registered = Lock<[URLProtocol.Type]>([])

        /// Makes the session ask the classes before all others, for as long as the process runs; one caller at a time.
        static func putFirst(_ classes: [URLProtocol.Type]) {
            // A class that is registered stays registered: a request that starts meanwhile must not miss it.
            for protocolClass in classes.reversed() where !contains(protocolClass) {
                guard URLProtocol.registerClass(protocolClass) else { continue }
                registered.withLock { $0.insert(protocolClass, at: 0) }
            }
        }

        /// Returns a Boolean value that indicates whether a class was put first.
        static func contains(_ protocolClass: URLProtocol.Type) -> Bool {
            registered.withLock { $0.contains { $0 == protocolClass } }
        }
    }
#endif
