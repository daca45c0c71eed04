import Foundation
import Testing

@testable import StubbornNetwork

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// How the connection to the real server answers challenges.
struct RealServerChallengeTests {
    @Test(arguments: [true, false], ["ServerTrust", "ClientCertificate"])
    func `a challenge about the connection gets the default handling`(hasResponse: Bool, method: String) {
        let answer = RealServer.answer(to: "NSURLAuthenticationMethod\(method)", hasResponse: hasResponse)
        #expect(answer == .performDefaultHandling)
    }

    @Test(arguments: [
        NSURLAuthenticationMethodHTTPBasic, NSURLAuthenticationMethodHTTPDigest, NSURLAuthenticationMethodNTLM,
    ])
    func `a challenge about a user ends the exchange with its response`(method: String) {
        #expect(RealServer.answer(to: method, hasResponse: true) == .cancelAuthenticationChallenge)
        #expect(RealServer.answer(to: method, hasResponse: false) == .rejectProtectionSpace)
    }
}
