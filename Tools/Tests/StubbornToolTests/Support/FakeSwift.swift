import Foundation

/// A program named `swift` with tests that look for strings in the stub files that they read.
///
/// It writes what Swift Testing and the library write: the events of tests, and the reports of networks.
struct FakeSwift {
    struct FakeTest {
        let name: String
        /// The stub file that the test reads.
        let file: String
        /// A shell command that fails where the test does, with the path of the file that is played in `$file`.
        let check: String
        /// The positions of the stubs in the file that the test does not receive.
        var unused: [Int] = []
        /// The name of the test in the report of its network.
        var reportedName: String?

        /// A test that passes whatever it receives.
        static func passing(_ name: String, _ file: String) -> Self { Self(name: name, file: file, check: "true") }

        /// A test that looks for lines of its file.
        static func checking(_ name: String, _ file: String, _ lines: String...) -> Self {
            let checks = lines.map { "grep -q -F -e '\($0)' \"$file\"" }
            return Self(name: name, file: file, check: checks.joined(separator: " && "))
        }
    }

    let directory: TemporaryDirectory

    /// Writes the program into the directory `bin`.
    ///
    /// - Parameters:
    ///   - tests: The tests.
    ///   - directory: The directory of the package.
    ///   - startsTogether: A Boolean value that indicates whether all tests have started before one ends, if they may.
    /// - Throws: The error of writing the program.
    init(_ tests: [FakeTest], in directory: TemporaryDirectory, startsTogether: Bool = false) throws {
        self.directory = directory
        let calls = tests.map { test in
            let path = directory.file(test.file).path
            return """
                file=$(played '\(path)')
                [ $together = 1 ] || event testStarted '\(test.name)' default
                report '\(path)' '\(test.reportedName ?? test.name)' '\(test.unused.map(String.init).joined(separator: ","))'
                if \(test.check); then event testEnded '\(test.name)' pass
                else event testEnded '\(test.name)' fail; status=1; fi
                """
        }
        let starts = tests.map { "event testStarted '\($0.name)' default" }
        let program = try directory.write(
            """
            #!/bin/sh
            case "$*" in *--help-hidden*) echo --event-stream-output-path; exit;; esac
            together=\(startsTogether ? 1 : 0)
            case "$*" in *--no-parallel*) together=0;; esac
            echo "$*" >> '\(directory.file("runs").path)'
            events=/dev/null
            while [ $# -gt 0 ]; do
              if [ "$1" = --event-stream-output-path ]; then events=$2; fi
              shift
            done
            status=0
            count=0
            played() {
              other=$(sed -n "s|^ *\\"$1\\" : \\"\\(.*\\)\\",\\{0,1\\}$|\\1|p" "$STUB_REPLACEMENTS")
              if [ "$STUB_RECORD_MODE" = playback ]; then echo "${other:-$1}"; else echo "$1"; fi
            }
            event() {
              echo '{"kind":"event","payload":{"kind":"'$1'","messages":[{"symbol":"'$3'","text":""}],"testID":"AppTests.'$(
                echo $2 | tr . /)'()/AppTests.swift:1:2"},"version":0}' >> "$events"
            }
            report() {
              if [ -z "$STUB_REPORT" ]; then return; fi
              mkdir -p "$STUB_REPORT"
              count=$((count + 1))
              echo '{ "process" : 1, "number" : 1, "network" : { \
                "file" : "'$1'", "test" : "'$2'", "hasExited" : true, "mode" : "playback", \
                "networkAttempts" : 0, "processIdentifier" : 1, "recorded" : [], "summary" : { "failed" : 0, \
                "passedThrough" : 0, "recorded" : 0, "running" : 0, "stubbed" : 1, "unstubbed" : 0, "unused" : 0 }, \
                "unstubbed" : [], "unused" : [], "unusedPositions" : ['$3'] } }' > "$STUB_REPORT/$count.json"
            }
            if [ $together = 1 ]; then \(starts.joined(separator: "; ")); fi
            \(calls.joined(separator: "\n"))
            exit $status

            """,
            to: "bin/swift"
        )
        try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: program.path)
    }

    /// The number of times that tests were run.
    var runCount: Int { calls.count }

    /// Runs `stubborn` in the directory with this program as `swift`.
    func stubborn(_ arguments: String...) throws -> Tool.Result { try stubborn(arguments) }

    /// The arguments of each run.
    var calls: [String] { ((try? directory.text("runs")) ?? "").split(separator: "\n").map(String.init) }

    func stubborn(_ arguments: [String], environment: [String: String] = [:]) throws -> Tool.Result {
        let path = ProcessInfo.processInfo.environment["PATH"] ?? ""
        return try Tool.run(
            arguments,
            in: directory.url,
            environment: [
                "PATH": "\(directory.file("bin").path):\(path)", "COLUMNS": "400", "TMPDIR": directory.file("tmp").path,
            ]
            .merging(environment) { $1 }
        )
    }
}

extension String {
    /// The JSON with spaces around each colon, as the library writes it.
    var spaced: String { replacing("\":", with: "\" : ") }
}
