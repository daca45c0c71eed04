import StubbornNetworkTesting
import Testing

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// The article on Xcode projects.
enum XcodeProjectArticle {
    private final class TestBundle {}

    @Suite(.stubbed(in: Bundle(for: TestBundle.self))) struct LoginTests {
        @Test func login() async throws { try await logIn() }
    }

    enum AppSession {
        static var current: URLSession {
            #if DEBUG
                if ProcessInfo.processInfo.testing { return StubbornNetwork.standard.session }
            #endif
            return .shared
        }
    }

    @Test static func `an app that is not under test has its own session`() {
        #expect(AppSession.current === URLSession.shared)
    }

    private static func logIn() async throws {
        StubbornNetwork.current.stub(.path("/login"), with: .status(401))
        let url = try #require(URL(string: "https://api.example.com/login"))
        let (_, response) = try await StubbornNetwork.current.session.data(from: url)
        #expect((response as? HTTPURLResponse)?.statusCode == 401)
    }
}
