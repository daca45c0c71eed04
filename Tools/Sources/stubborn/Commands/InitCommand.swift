import ArgumentParser
import Foundation
@preconcurrency import Rainbow
import StubbornNetwork
@_spi(Tools) import StubbornNetworkTooling

struct InitCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "init",
        abstract: "Sets up a directory for recordings.",
        discussion: """
            Writes .stubborn.json, the settings of all stub directories below, and the line of .gitignore that keeps \
            journals out of the repository. With --git it also writes .gitattributes and git's configuration, so that git \
            diff and git log -p show recordings decoded, and git merge merges them by stub; the configuration is not \
            committed, so everybody runs this once.

            With --agents it writes the rules for working with recordings into AGENTS.md, which coding agents read: between \
            two marks, so that a later run can replace the rules.

            It shows what it writes. Existing settings are kept.

            Example: in the root of a package:

              stubborn init --git
            """
    )

    @Argument(help: "The root of a package, or a stub directory.", completion: .directory)
    var directory = "."

    @Flag(
        name: .customLong("git"),
        help: "Let git diff and git log -p show recordings decoded, and git merge merge them by stub."
    )
    var isForGit = false

    @Flag(name: .customLong("agents"), help: "Write the rules for working with recordings into AGENTS.md.")
    var isForAgents = false

    @Flag(name: .customLong("dry-run"), help: "Show what would be written, and write nothing.")
    var isDryRun = false

    @OptionGroup var colors: ColorOptions

    /// A change that this command makes: a line of text for each new entry, and the action.
    private struct Step {
        let title: String
        let newLines: [String]
        let perform: () throws -> Void
    }

    func run() throws {
        guard directory.isDirectory else {
            throw ToolError("There is no directory at \(directory). Create it, or check the path.")
        }
        let git = Git(containing: directory)
        var steps = [try settingsStep(), try ignoringStep(git)]
        if isForGit {
            guard let git else {
                throw ToolError("\(directory) is not in a git repository, or git is not installed. Run git init first.")
            }
            steps += [try attributesStep()] + (try configurationSteps(git))
        }
        if isForAgents { steps.append(try rulesStep()) }
        let missing = steps.compactMap(\.self)
        for step in missing {
            try Output.write(([step.title.bold] + step.newLines.map { "+\($0)".green }).joined(separator: "\n"))
            if !isDryRun { try step.perform() }
        }
        if missing.isEmpty { Output.say("Everything is set up already.") }
    }

    private func settingsStep() throws -> Step? {
        // A file above this directory counts as well. One that is invalid is an error.
        let rules = try StubDirectoryRules(for: URL(fileURLWithPath: directory, isDirectory: true))
        let contents = try FoundFile.contents(below: directory)
        // Settings in directories below would override new ones.
        guard rules.file == nil, !contents.contains(where: { $0.names.contains(".stubborn.json") }) else { return nil }
        return step(addingTo: ".stubborn.json", Self.settings.lines)
    }

    private static let settings = """
        {
          "bodyEncoding" : "readable",
          "matching" : { "ignoredHeaders" : [], "ignoredJSONKeys" : [], "ignoredQueryItems" : [] },
          "redaction" : { "excluded" : [], "formFields" : [], "headers" : [], "jsonKeys" : [], "queryItems" : [] },
          "volatileHeaders" : [],
          "volatileJSONKeys" : []
        }
        """

    private func ignoringStep(_ git: Git?) throws -> Step? {
        let journal = path(".Login.json.journal")
        if let git, (try? git.run("check-ignore", "--quiet", git.name(of: journal))) != nil { return nil }
        return step(addingTo: ".gitignore", [".*.journal"])
    }

    /// Returns the step for the stub directories below: those named `Stubs`, and those with a different name that
    /// contain stub files.
    private func attributesStep() throws -> Step? {
        var patterns = ["**/Stubs/*.json"]
        for found in try FoundFile.find(in: [directory]) where (try? found.read()) != nil {
            let folder = (String(found.path.dropFirst(directory.directoryPrefix.count)) as NSString)
                .deletingLastPathComponent
            guard (folder as NSString).lastPathComponent != "Stubs" else { continue }
            let pattern = "\(folder)/*.json"
            if !patterns.contains(pattern) { patterns.append(pattern) }
        }
        let lines = patterns.map { pattern in
            let isPlain = !pattern.contains { " \"\\".contains($0) }
            return (isPlain ? pattern : JSONText.text(of: pattern)) + " diff=stubborn merge=stubborn"
        }
        return step(addingTo: ".gitattributes", lines)
    }

    private func configurationSteps(_ git: Git) throws -> [Step] {
        let command = Self.command
        // The command may be missing, as after 'swift package clean'. Git then shows the files undecoded, and merges
        // lines.
        let isThere = "command -v \(command) >/dev/null"
        let isGone =
            "echo 'stubborn:' %P 'was merged line by line, possibly incorrectly: the stubborn command was not found. Build it, and run stubborn init --git again.' >&2"
        let settings = [
            (
                "diff.stubborn.textconv",
                "f() { if \(isThere); then \(command) textconv \"$1\"; else cat \"$1\"; fi; }; f"
            ),
            // The line that git writes after `@@`: the request of the changed stub.
            ("diff.stubborn.xfuncname", "^([A-Z]+ [a-z]+://.*)$"),
            ("merge.stubborn.name", "The Stubborn Network: merge by stub"),
            (
                "merge.stubborn.driver",
                "if \(isThere); then \(command) merge %O %A %B --path %P; else \(isGone); git merge-file %A %O %B; fi"
            ),
        ]
        return settings.compactMap { key, value in
            let old = (try? git.run("config", "--local", "--get", key)).map { String(decoding: $0, as: UTF8.self) }
            guard old != value + "\n" else { return nil }
            return Step(title: "git config \(key)", newLines: [value]) { try git.run("config", "--local", key, value) }
        }
    }

    /// The command as git's shell runs it: by its name if it is in the path, or else by its full path.
    private static var command: String {
        let folders = (ProcessInfo.processInfo.environment["PATH"] ?? "").split(separator: ":")
        if folders.contains(where: { FileManager.default.isExecutableFile(atPath: "\($0)/stubborn") }) {
            return "stubborn"
        }
        return (Bundle.main.executablePath ?? CommandLine.arguments[0]).inShellQuotes
    }

    private static let (rulesStart, rulesEnd) = ("<!-- stubborn: rules -->", "<!-- stubborn: end -->")

    /// Returns the step that writes the rules, or replaces older ones; `nil` if they are up to date.
    private func rulesStep() throws -> Step? {
        let url = URL(fileURLWithPath: path("AGENTS.md"))
        let exists = FileManager.default.fileExists(atPath: url.path)
        guard let text = exists ? try? String(contentsOf: url, encoding: .utf8) : "" else {
            throw ToolError("\(path("AGENTS.md")) is not text in UTF-8.")
        }
        let rules = String(decoding: PackageResources.agents_md, as: UTF8.self)
        let block = "\(Self.rulesStart)\n\(rules)\(Self.rulesEnd)"
        let new: String
        if let start = text.range(of: Self.rulesStart) {
            guard let end = text.range(of: Self.rulesEnd, range: start.upperBound..<text.endIndex) else {
                throw ToolError(
                    "\(path("AGENTS.md")) has the mark \(Self.rulesStart), but not \(Self.rulesEnd) after it."
                )
            }
            new = text.replacingCharacters(in: start.lowerBound..<end.upperBound, with: block)
        } else {
            let space = text.isEmpty ? "" : text.hasSuffix("\n") ? "\n" : "\n\n"
            new = text + space + block + "\n"
        }
        guard new != text else { return nil }
        return Step(title: path("AGENTS.md").printable, newLines: block.lines) {
            try ToolError.write(Data(new.utf8), to: path("AGENTS.md"))
        }
    }

    private func path(_ name: String) -> String { directory.directoryPrefix + name }

    /// Returns the step that adds missing lines to the end of a file; `nil` if none is missing.
    private func step(addingTo name: String, _ lines: [String]) -> Step? {
        let url = URL(fileURLWithPath: path(name))
        let text = (try? String(contentsOf: url, encoding: .utf8)) ?? ""
        let known = Set(text.lines)
        let missing = lines.filter { !known.contains($0) }
        guard !missing.isEmpty else { return nil }
        return Step(title: path(name).printable, newLines: missing) {
            let start = text.isEmpty || text.hasSuffix("\n") ? text : text + "\n"
            try ToolError.write(Data((start + missing.joined(separator: "\n") + "\n").utf8), to: path(name))
        }
    }
}
