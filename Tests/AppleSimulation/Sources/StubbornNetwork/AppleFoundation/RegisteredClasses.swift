import Foundation

/// The registration of protocol classes as on Apple's platforms.
///
/// In the library these declarations take the place of Foundation's own.
extension URLProtocol {
    /// The registered classes, in the order in which they are asked for the requests of `URLSession.shared`.
    static let registeredClasses = Lock<[URLProtocol.Type]>([])

    /// The number of times that a class was registered that was registered already.
    static let repeatedRegistrations = Lock(0)

    /// Registers a class.
    ///
    /// "Registering a class places it first on the list of classes that will be consulted" (NSURLProtocol.h). Decompiled code
    /// does so with a class that is already registered too, and has it twice.
    @discardableResult
    class func registerClass(_ protocolClass: AnyClass) -> Bool {
        guard let protocolClass = protocolClass as? URLProtocol.Type else { return false }
        registeredClasses.withLock { classes in
            if classes.contains(where: { $0 == protocolClass }) { repeatedRegistrations.withLock { $0 += 1 } }
            classes.insert(protocolClass, at: 0)
        }
        return true
    }

    class func unregisterClass(_ protocolClass: AnyClass) {
        registeredClasses.withLock { $0.removeAll { $0 == protocolClass } }
    }
}
