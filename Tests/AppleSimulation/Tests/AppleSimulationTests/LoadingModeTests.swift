import Foundation
import Testing

@testable import StubbornNetwork

/// The loading mode of a session: the library selects the classic one, and gets along with the newer one.
@Suite(.timeLimit(.minutes(2)))
struct LoadingModeTests {
    private let network = StubbornNetwork(.ephemeral, environment: [:])
    private let request = URLRequest(url: URL(string: "https://api.test/books")!)
    private let configuration = SimulatedConfiguration.in(.new)

    init() { network.onUnstubbedRequest = { _ in } }

    @Test func `sessions of a network, and those for the real server, are in the classic mode`() throws {
        let made = network.makeSession(configuration: configuration, delegate: nil).configuration
        #expect((made as? SimulatedConfiguration)?.mode == .classic)
        #expect((configuration.ownCopy as? SimulatedConfiguration)?.mode == .classic)
        #expect(configuration.mode == .new)
    }

    @Test func `a configuration of the user's keeps its mode`() {
        network.insertStubbedSessionURLProtocol(into: configuration)
        #expect(configuration.mode == .new)
        #expect(configuration.usesNewLoadingMode)
        #expect(!SimulatedConfiguration.in(.classic).usesNewLoadingMode)
        #expect(!URLSessionConfiguration.ephemeral.usesNewLoadingMode)
    }

    @Test func `a warning names the property of a configuration in the newer mode`() throws {
        network.insertStubbedSessionURLProtocol(into: configuration)
        let warnings = StandardError.written.withLock { $0.filter { $0.contains("usesClassicLoadingMode") } }
        let begin = "warning: usesClassicLoadingMode is false for a configuration that stubs are registered in. "
        #expect(warnings.count { $0.hasPrefix(begin) } == 1)
        // Nothing is said of the library's own sessions.
        #expect(warnings.count == 1)
    }

    @Test func `a warning says that stubs do not answer a background session`() {
        // Linux has this property, but no background sessions.
        let configuration = URLSessionConfiguration.ephemeral
        configuration.identifier = "uploads"
        network.insertStubbedSessionURLProtocol(into: configuration)
        let warnings = StandardError.written.withLock { $0.filter { $0.contains("background session") } }
        let warning = "warning: Requests of a background session reach the real server. Use a default configuration."
        #expect(warnings == [warning])
    }

    @Test(arguments: [LoadingMode.classic, .new])
    func `the error of an unstubbed request is found in the system's`(mode: LoadingMode) async throws {
        let configuration = SimulatedConfiguration.in(mode)
        try await Loader.story { loader in
            let load = await loader.load(request, through: SimulatedSession(network, configuration))
            let error = try #require(load.error)
            #expect(error.domain == (mode == .classic ? StubbornNetworkError.errorDomain : NSURLErrorDomain))
            let found = try #require(StubbornNetworkError(error))
            #expect(found.code == .unstubbedRequest)
            #expect(found.report?.request == "GET https://api.test/books")
        }
    }

    @Test(arguments: [LoadingMode.classic, .new])
    func `a response is the same in both modes`(mode: LoadingMode) async throws {
        network.stub(.any, with: .text("Emma"))
        let configuration = SimulatedConfiguration.in(mode)
        try await Loader.story { loader in
            let load = await loader.load(request, through: SimulatedSession(network, configuration))
            #expect(load.calls == ["response 200", "data", "end"])
            #expect(load.text == "Emma")
        }
    }
}
