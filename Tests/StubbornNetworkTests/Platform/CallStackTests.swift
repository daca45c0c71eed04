import Foundation
import Testing

@testable import StubbornNetwork

struct CallStackTests {
    /// Stands for the code under test.
    struct UserList {
        let network: StubbornNetwork

        @inline(never)
        func load() throws {
            _ = try network.response(to: StubRequest.get("https://api.test/users").urlRequest)
        }
    }

    private func network() -> StubbornNetwork {
        let network = StubbornNetwork(.ephemeral, environment: [:])
        network.onUnstubbedRequest = { _ in }
        return network
    }

    @Test func `an unstubbed request's error has a readable call stack`() {
        let error = #expect(throws: StubbornNetworkError.self) { try UserList(network: network()).load() }
        let stack = error?.callStack ?? []
        #expect(stack.first == "StubbornNetworkTests.CallStackTests.UserList.load() throws -> ()")
        #expect(stack.count > 2 && stack.count <= 24)
        #expect(stack.allSatisfy { $0.utf8.count <= 256 })
        #expect(!stack.contains { $0.contains("StubbornNetwork.Engine") })
        let frames = stack.prefix(8).map { "\n  \($0)" }.joined()
        #expect(error?.message == "\(error?.report?.description ?? "")\nAsked by:\(frames)")
    }

    @Test func `other errors of this library have a call stack, and stubbed errors do not change`() throws {
        let network = network()
        let none = #expect(throws: StubbornNetworkError.self) {
            try network.response(to: URLRequest(url: URL(string: "ftp://a.test/")!))
        }
        #expect(none?.code == .unsupportedRequest)
        #expect(none?.callStack.isEmpty == false)
        network.stub(.any, with: .failure(URLError(.timedOut)))
        #expect(throws: URLError.self) { try UserList(network: network).load() }
    }

    @Test func `a session's error has no call stack`() async {
        let network = network()
        let error = await #expect(throws: StubbornNetworkError.self) {
            try await network.session.data(from: URL(string: "https://api.test/users")!)
        }
        #expect(error?.callStack == [])
        #expect(error?.report?.cause == .noStubs)
    }

    @Test(arguments: [
        ("3   LoginTests   0x0000000104c1e2f0 $s10LoginTests5loginyyF + 84", "$s10LoginTests5loginyyF"),
        ("12  My Login Tests                      0x000000010e2a4d2b main + 1035", "main"),
        ("0   CoreFoundation  0x00007fff2045083b -[NSArray objectAtIndex:] + 242", "-[NSArray objectAtIndex:]"),
        ("5   XCTestCore  0x00007fff2045083b +[XCTestCase(Run) + (here)] + 9", "+[XCTestCase(Run) + (here)]"),
        ("4   0x  0xdeadbeef start", "4   0x  0xdeadbeef start"),
        ("4   0x  0xdeadbeef + 1", "4   0x  0xdeadbeef + 1"),
        ("???", "???"), ("", ""),
    ])
    func `a function name is read from a call stack line of Apple's platforms`(line: String, name: String) {
        #expect(CallStack.functionName(inLine: line) == name)
    }

    @Test(arguments: ["", "$s", "main", "$sNonsense", "_ZN3foo3barEv"])
    func `a name that is not Swift's is unchanged`(name: String) {
        #expect(CallStack.demangled(name) == nil || CallStack.demangled(name) == name)
    }

    #if canImport(FoundationNetworking)
        @Test func `a file that is no executable has no names of functions`() throws {
            let directory = TemporaryDirectory()
            try directory.write("not code", to: "text")
            // The offset of the sections is far behind the end of the file.
            let head = Data([0x7F, 0x45, 0x4C, 0x46, 2, 1]) + Data(repeating: 0xFF, count: 200)
            try head.write(to: directory.file("broken"))
            for name in ["text", "nothing", "broken"] {
                #expect(CallStack.functionNames(at: [1], inFileAt: directory.file(name).path) == [nil])
            }
        }
    #endif

    @Test func `the functions that only run others are left out, and with them a stack of nothing else`() {
        let runtime = [
            "_ZN5swift34runJobInEstablishedExecutorContextEPNS_3JobE", "swift_job_run", "_dispatch_continuation_pop",
            "_dispatch_worker_thread", "start_thread", "clone",
        ]
        let own = ["StubbornNetwork.Engine.decide(StubbornNetwork.StubRequest) -> StubbornNetwork.Decision"]
        #expect(CallStack.callers(in: own + runtime) == [])
        let user = ["App.UserList.load() -> ()", "swift_job_run", "App.main() -> ()"]
        #expect(CallStack.callers(in: own + user + runtime) == user)
    }
}
