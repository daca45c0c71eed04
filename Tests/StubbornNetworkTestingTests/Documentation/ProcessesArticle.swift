import Foundation
import LoopbackServer
import StubbornNetworkTesting
import Testing

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

struct ProcessesArticle {
    @Test func `the report tells what a process asked for`() async throws {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent("processes-\(UUID().uuidString)")
        defer { try? FileManager.default.removeItem(at: folder) }
        let stubs = Document.folder.appendingPathComponent("Stubs")
        let reportFile = folder.appendingPathComponent("report.json")
        let environment = try StubEnvironment(named: "testDownload", directory: stubs, report: reportFile)

        // The process would be another; what it does is this.
        let network = StubbornNetwork(.environment, environment: environment.variables)
        network.stub(.path("/users/42"), with: .json(["name": "Ada"]))
        for _ in 1...2 { _ = try await UserClient(session: network.session).name(of: 42) }
        #expect(try await comesToHold { (try? StubReport(contentsOf: reportFile))?.summary.stubbed == 2 })

        let report = try StubReport(contentsOf: reportFile)
        report.expectEverythingStubbed()
        #expect(report.summary.unstubbed == 0)
    }
}
