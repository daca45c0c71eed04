import Foundation
import StubbornNetworkTesting
import Testing

// On Linux the test bundle is a program that can be started once more.
#if os(Linux)
    /// How a user's test ends, by what its network did, and what is left of its stub file.
    @Suite(.timeLimit(.minutes(5)))
    struct TestOutcomeTests {
        @Test(arguments: ChildTestRun.Library.allCases)
        func `a request that waits in vain to be cancelled fails the test`(library: ChildTestRun.Library) async throws {
            let child = try ChildTestRun(library)
            child.timeout = 0.1
            let url = child.server.url("/hello").absoluteString
            try Data(
                """
                [ { "error" : { "code" : -999, "domain" : "NSURLErrorDomain" },
                    "request" : { "method" : "GET", "url" : "\(url)" } } ]
                """.utf8
            ).write(to: child.file)
            let result = try await child.run()
            #expect(result.status == 1)
            let start =
                "\(library.failure)When GET \(url) was recorded, the client cancelled it (playback, \(child.file.path)"
            #expect(result.output.contains(start), "\(result.output)")
            let advice = "because the client cancelled the request:  STUB_RECORD_MODE=recording swift test --filter "
            #expect(result.output.contains("To record the test again, \(advice)"))
        }

        @Test(arguments: ChildTestRun.Library.allCases)
        func `a request that no stub answers fails the test with the whole report`(
            library: ChildTestRun.Library
        ) async throws {
            let child = try ChildTestRun(library)
            let result = try await child.run()
            #expect(result.status == 1)
            let url = child.server.url("/hello").absoluteString
            let report = """
                \(library.failure)No stub answers GET \(url) (playback, \(child.file.path)): the stub file does not exist. \
                The network was not touched.
                """
            #expect(result.output.contains(report), "\(result.output)")
            #expect(result.output.contains("To record it:  STUB_RECORD_MODE=recording-missing swift test --filter "))
            #expect(result.stubs == nil)
            #expect(child.server.connectionCount == 0)
        }

        @Test(arguments: ChildTestRun.Library.allCases)
        func `a test that recorded fails, and says what it recorded and where`(
            library: ChildTestRun.Library
        ) async throws {
            let child = try ChildTestRun(library)
            child.recordMode = "recording-missing"
            let result = try await child.run()
            #expect(result.status == 1)
            let text = "\(library.failure)1 exchange was recorded into \(child.file.path):"
            #expect(result.output.contains(text), "\(result.output)")
            #expect(result.output.contains("  GET \(child.server.url("/hello")): 200, "))
            let summary = """
                StubbornNetwork: The tests recorded 1 exchange into 1 stub file; of the stubs, 1 were written.
                Statuses: 1 of 200.
                Review the files, commit them, and run again without recording.
                """
            #expect(result.output.components(separatedBy: summary).count == 2, "\(result.output)")
            #expect(result.stubs == ["hello"])
        }

        /// CI, `STUB_RECORD_MODE`, the mode that the test's code names, and a Boolean value that indicates whether it records.
        private static let rows: [(isOnCI: Bool, person: String?, code: RecordMode?, records: Bool)] = [
            (false, nil, nil, false),
            (false, nil, .recordingOnce, true),
            (false, "recording-missing", nil, true),
            (false, "playback", .recordingOnce, false),
            (true, nil, nil, false),
            (true, nil, .recordingOnce, false),
            (true, "recording-missing", nil, true),
            (true, "recording", .recordingOnce, true),
        ]

        @Test(arguments: ChildTestRun.Library.allCases, [false, true])
        func `a test and a process that it starts obey the same rules, with and without CI`(
            library: ChildTestRun.Library,
            startsProgram: Bool
        ) async throws {
            for row in Self.rows {
                let child = try ChildTestRun(library)
                child.startsProgram = startsProgram
                (child.isOnCI, child.recordMode, child.codeMode) = (row.isOnCI, row.person, row.code)
                let result = try await child.run()
                #expect(result.status == 1, "\(row)")
                #expect((child.server.connectionCount > 0) == row.records, "\(row)")
                #expect((result.stubs != nil) == row.records, "\(row)")
                let text = row.records ? "1 exchange was recorded into \(child.file.path)" : "No stub answers GET"
                #expect(result.output.contains(text), "\(row) \(result.output)")
                guard !row.records else { continue }
                let command =
                    "To record it:  STUB_RECORD_MODE=recording-missing swift test --filter \(library.filter)\n"
                #expect(result.output.contains(command), "\(row) \(result.output)")
            }
        }

        @Test(arguments: ChildTestRun.Library.allCases, [false, true])
        func `a test whose server is off fails, says which server, and writes nothing`(
            library: ChildTestRun.Library,
            passes: Bool
        ) async throws {
            let child = try ChildTestRun(library)
            child.recordMode = "recording-missing"
            child.recordingPasses = passes
            child.server.stop()
            let result = try await child.run()
            #expect(result.status == 1)
            let text = "\(library.failure)127.0.0.1:\(child.server.port) did not answer; nothing was recorded."
            #expect(result.output.contains(text), "\(result.output)")
            #expect(!result.output.contains("recorded into"))
            #expect(result.stubs == nil)
        }

        @Test(arguments: ChildTestRun.Library.allCases)
        func `a test that recorded nothing but an error fails, and says so`(
            library: ChildTestRun.Library
        ) async throws {
            let child = try ChildTestRun(library)
            child.recordMode = "recording"
            child.server.stop()
            let result = try await child.run()
            #expect(result.status == 1)
            let text = "\(library.failure)1 exchange was recorded into \(child.file.path), an error:"
            #expect(result.output.contains(text), "\(result.output)")
            #expect(result.stubs == ["hello"])
        }

        @Test(arguments: ChildTestRun.Library.allCases)
        func `a test that recorded passes where that is wanted`(library: ChildTestRun.Library) async throws {
            let child = try ChildTestRun(library)
            child.recordMode = "recording-missing"
            child.recordingPasses = true
            let result = try await child.run()
            #expect(result.passed, "\(result.output)")
            #expect(result.stubs == ["hello"])
        }

        @Test(arguments: ChildTestRun.Library.allCases, [ChildTest.Ending.fails, .throwsError])
        func `a test that breaks off while it records again loses no stub that it did not ask for`(
            library: ChildTestRun.Library,
            ending: ChildTest.Ending
        ) async throws {
            let child = try ChildTestRun(library)
            try child.writeStubs("/hello", "/later")
            child.recordMode = "recording"
            child.recordingPasses = true
            child.ending = ending
            let result = try await child.run()
            #expect(result.status == 1)
            #expect(result.output.contains(ending == .fails ? "failed on purpose" : "OnPurpose"), "\(result.output)")
            #expect(child.server.requests.count == 1)
            #expect(result.stubs == ["hello", "later"])
        }

        @Test func `a skipped XCTest keeps the stubs that it did not ask for, and passes`() async throws {
            let child = try ChildTestRun(.xcTest)
            try child.writeStubs("/hello", "/later")
            child.ending = .skips
            child.failsOnUnusedStubs = true
            let playback = try await child.run()
            #expect(playback.status == 0, "\(playback.output)")
            #expect(playback.output.contains("skipped on purpose"))
            child.recordMode = "recording"
            child.recordingPasses = true
            let recording = try await child.run()
            #expect(recording.status == 0, "\(recording.output)")
            #expect(recording.stubs == ["hello", "later"])
        }

        @Test(arguments: ChildTestRun.Library.allCases)
        func `a test that records again to its end leaves out the stubs that it did not ask for`(
            library: ChildTestRun.Library
        ) async throws {
            let child = try ChildTestRun(library)
            try child.writeStubs("/hello", "/gone")
            child.recordMode = "recording"
            child.recordingPasses = true
            let result = try await child.run()
            #expect(result.passed, "\(result.output)")
            #expect(result.stubs == ["hello"])
        }

        @Test(arguments: ChildTestRun.Library.allCases)
        func `a test that is played back passes, and changes nothing`(library: ChildTestRun.Library) async throws {
            let child = try ChildTestRun(library)
            try child.writeStubs("/hello", "/later")
            let before = try Data(contentsOf: child.file)
            let result = try await child.run()
            #expect(result.passed, "\(result.output)")
            #expect(child.server.connectionCount == 0)
            #expect(try Data(contentsOf: child.file) == before)
        }

        @Test(arguments: ChildTestRun.Library.allCases)
        func `a test that throws the error of an unstubbed request fails once, with the report`(
            library: ChildTestRun.Library
        ) async throws {
            let child = try ChildTestRun(library)
            child.ending = .throwsRequestError
            let result = try await child.run()
            #expect(result.status == 1)
            #expect(result.output.components(separatedBy: "No stub answers").count == 2, "\(result.output)")
            #expect(result.output.contains("To declare it:"))
        }

        @Test(arguments: ChildTestRun.Library.allCases)
        func `an expectation that fails in a computed stub is a failure of its test`(
            library: ChildTestRun.Library
        ) async throws {
            let child = try ChildTestRun(library)
            child.ending = .failsInAnswer
            let result = try await child.run()
            #expect(result.status == 1)
            let name =
                library == .xcTest ? "error: ChildXCTests.testChild : failed - " : "child() recorded an issue at "
            let lines = result.output.components(separatedBy: "\n")
            #expect(lines.contains { $0.contains(name) && $0.contains("ChildTest.swift:") }, "\(result.output)")
            #expect(result.output.contains("failed in the answer"))
        }

        @Test(arguments: ChildTestRun.Library.allCases)
        func `a test with a handler for unstubbed requests fails as it does without one`(
            library: ChildTestRun.Library
        ) async throws {
            let child = try ChildTestRun(library)
            child.ending = .handlesRequest
            let result = try await child.run()
            #expect(result.status == 1)
            let report = "\(library.failure)No stub answers GET \(child.server.url("/hello"))"
            #expect(result.output.contains(report), "\(result.output)")
        }

        @Test(arguments: ChildTestRun.Library.allCases)
        func `a test that ends while it holds a request fails, and does not hang`(
            library: ChildTestRun.Library
        ) async throws {
            let child = try ChildTestRun(library)
            child.ending = .holdsRequest
            let result = try await child.run()
            #expect(result.status == 1)
            let report = "\(library.failure)The test ended while the hold of any request at ChildTest.swift:"
            #expect(result.output.contains(report), "\(result.output)")
        }

        @Test func `a test that the runner repeats records its conversation once`() async throws {
            let child = try ChildTestRun(.swiftTesting)
            child.recordMode = "recording"
            child.repetitionCount = 3
            let result = try await child.run()
            #expect(result.status == 1)
            #expect(child.server.requests.count == 3)
            #expect(result.stubs == ["hello"])
        }

        @Test func `an XCTest that uses the network of a trait fails, and says which network it has`() async throws {
            let child = try ChildTestRun(.xcTest)
            try child.writeStubs("/hello")
            child.ending = .usesCurrent
            let result = try await child.run()
            #expect(result.status == 1)
            #expect(result.output.contains("failed - StubbornNetwork.current was used outside a test with the trait"))
            #expect(result.output.contains("In XCTest call stubbedNetwork()."))
        }

        @Test(arguments: ChildTestRun.Library.allCases)
        func `a test that asks for nothing fails for its unused stubs where that is wanted`(
            library: ChildTestRun.Library
        ) async throws {
            let child = try ChildTestRun(library)
            try child.writeStubs("/hello", "/later")
            child.path = nil
            child.failsOnUnusedStubs = true
            let result = try await child.run()
            #expect(result.status == 1)
            for (number, path) in ["/hello", "/later"].enumerated() {
                let url = child.server.url(path).absoluteString
                let text = "No request used stub \(number + 1), GET \(url) ("
                #expect(result.output.contains(text), "\(result.output)")
            }
            child.failsOnUnusedStubs = false
            #expect(try await child.run().passed)
        }
    }
#endif
