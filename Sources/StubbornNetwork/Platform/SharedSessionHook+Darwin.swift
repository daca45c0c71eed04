#if !canImport(FoundationNetworking) || SIMULATES_APPLE
    import Foundation

    /// The registration of protocol classes for `URLSession.shared`, whose configuration is a copy here; the newest is
    /// asked first.
    enum SharedSessionHook {
        /// A Boolean value that indicates whether a class is asked only once for a request, in the context of the task that
        /// starts it.
        static let asksOnceInTask = false

        /// The classes that have been registered.
        private static let registered = Lock<Set<ObjectIdentifier>>([])

        /// Makes the session ask the classes before all others, for as long as the process runs; one caller at a time.
        static func putFirst(_ classes: [URLProtocol.Type]) {
            // A class is never unregistered: a request that starts in the meantime must not miss it.
            for protocolClass in classes.reversed() where !contains(protocolClass) {
                guard URLProtocol.registerClass(protocolClass) else { continue }
                _ = registered.withLock { $0.insert(ObjectIdentifier(protocolClass)) }
            }
        }

        /// Moves an idle protocol class ahead of classes that were registered after it.
        static func moveToFront(_ protocolClass: URLProtocol.Type) {
            URLProtocol.unregisterClass(protocolClass)
            URLProtocol.registerClass(protocolClass)
        }

        /// Returns a Boolean value that indicates whether a class was put first.
        static func contains(_ protocolClass: URLProtocol.Type) -> Bool {
            registered.withLock { $0.contains(ObjectIdentifier(protocolClass)) }
        }
    }
#endif
