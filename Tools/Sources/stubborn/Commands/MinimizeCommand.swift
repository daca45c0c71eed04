import ArgumentParser
import Foundation
import StubbornNetwork
@_spi(Tools) import StubbornNetworkTooling

/// Finds the parts of a stub file that no test needs, and removes them.
struct MinimizeCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "minimize",
        abstract: "Finds the parts of a stub file that no test needs, and removes them on request.",
        discussion: """
            The tests run with less and less: without the elements of lists after the third, without members of objects, \
            without header fields. If they pass without a part, it is not needed. Run only the tests that use the file, so \
            that a run is fast. The file is written only with --apply.

            Example:

              stubborn minimize Tests/Stubs/LoginTests_login.json -- swift test --skip-build --filter LoginTests

            Exit statuses: 0 everything is needed, or written with --apply, 1 some parts are not needed, 2 the tests fail without \
            a change, or use a different file.
            """
    )

    @Argument(help: "The stub file.", completion: .file(extensions: ["json"]))
    var file: String

    @Flag(help: "Write the file without the parts that are not needed.")
    var apply = false

    @OptionGroup var options: TestOptions
    @OptionGroup var colors: ColorOptions

    private struct Report: Encodable {
        struct Part: Encodable {
            let stub: Int
            let part: String
        }

        let file: String
        let bytes: Int
        let minimizedBytes: Int
        let removed: [Part]
        let runs: Int
        let isComplete: Bool
        let isApplied: Bool
    }

    /// The longest file whose difference is shown line by line, in bytes.
    private static let maximumByteCount = 64 << 10

    func run() throws {
        let stubFile = try StubFile(contentsOf: URL(fileURLWithPath: file))
        let minimizer = try options.withCommand { command in
            var minimizer = try Minimizer(command, stubFile, budget: options.budget.seconds)
            try minimizer.run()
            return minimizer
        }
        let minimized = try minimizer.minimized()
        let (old, new) = (stubFile.text(), minimized.text())
        if apply, !minimizer.removed.isEmpty { try minimized.write() }
        if options.format == .json {
            let report = Report(
                file: file,
                bytes: old.count,
                minimizedBytes: new.count,
                removed: minimizer.outermostRemoved.map { Report.Part(stub: $0.stub, part: $0.text) },
                runs: minimizer.runCount,
                isComplete: minimizer.isComplete,
                isApplied: apply
            )
            try Output.write(JSONOutput.text(of: "minimize", report))
        } else {
            for part in minimizer.outermostRemoved { try Output.write("- stub \(part.stub): \(part.text)".printable) }
            if !minimizer.removed.isEmpty, old.count <= Self.maximumByteCount {
                try RewriteOptions.write(difference: old, new, file)
            }
        }
        if !minimizer.isComplete { Output.say(TestOptions.timeIsOver) }
        Output.say(
            "\(file.printable): \(ByteCount(old.count)), of which the tests need \(ByteCount(new.count)) "
                + "(\(counted(minimizer.runCount, "run")))."
        )
        if !minimizer.removed.isEmpty, !apply { throw ExitCode.found }
    }
}
