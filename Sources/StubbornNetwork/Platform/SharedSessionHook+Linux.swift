#if canImport(FoundationNetworking) && !SIMULATES_APPLE
    import Foundation

    /// The registration of protocol classes for `URLSession.shared`: in its configuration, which is live here.
    ///
    /// `URLProtocol.registerClass` has no effect once any session was used, because from then on Foundation's own
    /// classes are asked first.
    enum SharedSessionHook {
        /// A Boolean value that indicates whether a class is asked only once for a request, in the context of the task that
        /// starts it.
        static let asksOnceInTask = true

        /// The earlier lists, which must not be freed: Foundation reads the list without a lock while tasks start.
        private static let earlierLists = Lock<[[AnyClass]]>([])

        /// The classes that were put first.
        private static let ours = Lock<Set<ObjectIdentifier>>([])

        /// Makes the session ask the classes before all others, for as long as the process runs; one caller at a time.
        static func putFirst(_ classes: [URLProtocol.Type]) {
            let configuration = URLSession.shared.configuration
            let list = configuration.protocolClasses ?? []
            earlierLists.withLock { $0.append(list) }
            let ours = Set(classes.map { ObjectIdentifier($0) })
            Self.ours.withLock { $0.formUnion(ours) }
            configuration.protocolClasses = classes + list.filter { !ours.contains(ObjectIdentifier($0)) }
        }

        /// Does nothing: if a different class was put before them, all classes are put first again.
        static func moveToFront(_ protocolClass: URLProtocol.Type) {}

        /// Returns a Boolean value that indicates whether a class that was put first is still in the list, and the list
        /// begins with a class of this library.
        ///
        /// Any code can replace the list.
        static func contains(_ protocolClass: URLProtocol.Type) -> Bool {
            let list = URLSession.shared.configuration.protocolClasses ?? []
            guard let first = list.first, ours.withLock({ $0.contains(ObjectIdentifier(first)) }) else { return false }
            return list.contains { $0 == protocolClass }
        }
    }
#endif
