import Foundation
import Testing

/// The plugin `swift package stubborn`, in a package with a command that only writes.
@Suite struct PluginTests {
    private let directory: TemporaryDirectory
    private static let plugin = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
        .appendingPathComponent("../../../Plugins/StubbornCommand/StubbornCommand.swift").standardizedFileURL

    init() throws {
        directory = try TemporaryDirectory()
        let source = String(decoding: try Data(contentsOf: Self.plugin), as: UTF8.self)
        try directory.write(source, to: "Plugins/StubbornCommand/StubbornCommand.swift")
        try directory.write(
            """
            // swift-tools-version: 6.1
            import PackageDescription
            let capability = Target.PluginCapability.command(intent: .custom(verb: "stubborn", description: "Writes."))
            let package = Package(name: "App", targets: [.plugin(name: "StubbornCommand", capability: capability)])
            """,
            to: "Package.swift"
        )
        try directory.write(
            """
            // swift-tools-version: 6.1
            import PackageDescription
            let package = Package(name: "Tools", targets: [.executableTarget(name: "stubborn")])
            """,
            to: "Tools/Package.swift"
        )
        try directory.write(
            """
            import Foundation
            let arguments = CommandLine.arguments
            FileHandle.standardError.write(Data("error: one\\n\\nwarning: tw".utf8))
            print(#"{ "arguments" : "\\#(arguments.dropFirst().joined(separator: " "))" }"#)
            FileHandle.standardError.write(Data("o\\nthree".utf8))
            exit(arguments.contains("fail") ? 3 : 0)
            """,
            to: "Tools/Sources/stubborn/main.swift"
        )
    }

    @Test func `the data of a command is on standard output, and its messages are on standard error`() throws {
        // The first call builds the command.
        for arguments in [["list"], ["list", "a b"], ["fail"]] {
            let command = ["swift", "package", "--disable-sandbox", "stubborn"]
            let result = try Tool.run(program: command + arguments, in: directory.url)
            let data = try JSONDecoder().decode([String: String].self, from: result.outputData)
            #expect(data == ["arguments": arguments.joined(separator: " ")])
            #expect(result.status == (arguments == ["fail"] ? 1 : 0))
            for line in ["error: one", "warning: two", "three"] {
                #expect(result.errors.components(separatedBy: "\n").contains("[StubbornCommand] \(line)"))
            }
        }
    }
}
