import Foundation
import StubbornNetworkTesting
import Testing

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

enum Endpoint: CaseIterable, SampleResponding {
    case user, news

    var urlRequest: URLRequest {
        URLRequest(url: URL(string: "https://api.example.com/\(self == .user ? "users/42" : "news")")!)
    }

    var sampleResponse: StubResponse {
        self == .user ? .json(["name": "Ada"]) : .json(["Networks are stubborn"])
    }
}

struct PreviewsArticle {
    private let projectDirectory = Document.folder.path

    @Test func `a preview plays back`() async throws {
        let previewSession = StubbornNetwork.stubbed(
            withConfiguration: .persistent(named: "ContentView_Previews", in: "\(projectDirectory)/Stubs")
        ) { network in
            network.recordMode = .playback
        }

        #expect(try await UserClient(session: previewSession).name(of: 42) == "Ada")
    }

    @Test func `a cached response is not requested again`() async throws {
        let cachedSession = StubbornNetwork.stubbed(
            withConfiguration: .persistent(named: "ContentView_Previews", in: "\(projectDirectory)/Stubs")
        ) { network in
            network.recordMode = .recordingMissing
        }

        #expect(try await UserClient(session: cachedSession).name(of: 42) == "Ada")
    }

    @Test func `samples come with the endpoint`() async throws {
        let sampleSession = StubbornNetwork.stubbed(withConfiguration: .ephemeral) { network in
            for endpoint in Endpoint.allCases { network.stub(endpoint, delayedBy: .milliseconds(300)) }
        }

        #expect(try await UserClient(session: sampleSession).name(of: 42) == "Ada")
    }

    @Test func `a process uses the standard session only when it is under test`() {
        let session = ProcessInfo.processInfo.testing ? StubbornNetwork.standard.session : URLSession.shared

        #expect(ProcessInfo.processInfo.testing || session === URLSession.shared)
    }
}
