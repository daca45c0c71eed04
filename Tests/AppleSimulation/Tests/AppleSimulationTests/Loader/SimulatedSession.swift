import Foundation

@testable import StubbornNetwork

/// A session, as far as its protocols notice it.
struct SimulatedSession: Sendable {
    private let configuration: UncheckedTransfer<URLSessionConfiguration>
    private let protocolClasses: @Sendable () -> [URLProtocol.Type]
    private var accepted: URLProtocol.Type?
    private(set) var mode = LoadingMode.classic
    /// The time at which the loader sets the error of a task that it stops.
    var errorTime = ErrorTime.beforeStop

    /// A session with a delegate, whose configuration a network's class was put into.
    init(_ network: StubbornNetwork, _ configuration: URLSessionConfiguration = .ephemeral) {
        network.insertStubbedSessionURLProtocol(into: configuration)
        self.init(configuration)
    }

    /// A session with a configuration.
    init(_ configuration: URLSessionConfiguration) {
        // Without the system's own, which load from the real network.
        let system = (URLSessionConfiguration.ephemeral.protocolClasses ?? []).map { ObjectIdentifier($0) }
        let classes = (configuration.protocolClasses ?? []).filter { !system.contains(ObjectIdentifier($0)) }
            .compactMap { $0 as? URLProtocol.Type }
        self.init(configuration) { classes }
        mode = (configuration as? SimulatedConfiguration)?.mode ?? .classic
    }

    /// `URLSession.shared`, and `NSURLConnection`: both ask the registered classes.
    static let shared = SimulatedSession(URLSession.shared.configuration) {
        URLProtocol.registeredClasses.withLock { $0 }
    }

    /// A session that has asked already, and was answered by a class.
    static func asked(_ protocolClass: URLProtocol.Type) -> SimulatedSession {
        var session = shared
        session.accepted = protocolClass
        return session
    }

    private init(
        _ configuration: URLSessionConfiguration,
        _ protocolClasses: @escaping @Sendable () -> [URLProtocol.Type]
    ) {
        self.protocolClasses = protocolClasses
        self.configuration = UncheckedTransfer(configuration)
    }

    /// The longest time for a whole load, in seconds.
    ///
    /// The loader ends a custom protocol that takes longer. It does not apply `timeoutIntervalForRequest` to one (OHHTTPStubs
    /// issue 229).
    var resourceTimeout: TimeInterval { configuration.value.timeoutIntervalForResource }

    /// Asks the classes for a request, and returns the first one that accepts it.
    func protocolClass(for request: URLRequest) -> URLProtocol.Type? {
        // Apple's platforms ask with the task where they can; the default asks with its request.
        accepted ?? protocolClasses().first { $0.canInit(with: request) }
    }

    /// Returns a request as protocols see it.
    ///
    /// - A body is only a stream (OHHTTPStubs issue 52, openradar 15993891), and its length is a header field (netfox
    ///   issue 16). Some uploads show neither (SBTUITestTunnel pull requests 191 and 213).
    /// - The session's additional header fields are there (Alamofire's tests of `URLProtocol`).
    /// - Cookies are not (openradar 34329423, OHHTTPStubs issue 274).
    func request(_ request: URLRequest, by kind: TaskKind) -> URLRequest {
        var request = request
        let additionalHeaders = configuration.value.httpAdditionalHeaders as? [String: String]
        for (name, value) in additionalHeaders ?? [:] where request.value(forHTTPHeaderField: name) == nil {
            request.setValue(value, forHTTPHeaderField: name)
        }
        if case .upload(let body, showsBody: let showsBody) = kind {
            request.httpBody = showsBody ? body : nil
        }
        guard let body = request.httpBody, !body.isEmpty else { return request }
        request.httpBody = nil
        request.httpBodyStream = InputStream(data: body)
        request.setValue("\(body.count)", forHTTPHeaderField: "Content-Length")
        return request
    }
}

/// A way in which the system loads the requests of a session, by its configuration's `usesClassicLoadingMode`.
///
/// "Defaults to YES. The default may be NO in a future OS update" (NSURLSession.h).
enum LoadingMode: Sendable {
    case classic, new
}

/// A storage of credentials that finds them by the values of their protection spaces, as Apple's does; the one of Linux finds
/// only the object that they were stored with.
final class SimulatedCredentialStorage: URLCredentialStorage, @unchecked Sendable {
    private let user: String
    private let realm: String

    /// Creates a storage with the password "secret" of one user in one realm.
    init(user: String, realm: String) {
        (self.user, self.realm) = (user, realm)
        super.init()
    }

    override func defaultCredential(for space: URLProtectionSpace) -> URLCredential? {
        guard space.realm == realm, space.authenticationMethod == NSURLAuthenticationMethodHTTPBasic else { return nil }
        return URLCredential(user: user, password: "secret", persistence: .forSession)
    }
}
