import Foundation
import Testing

/// `Tools/install`: with a toolchain that builds nothing, and hands on the command that is built already.
@Suite struct InstallTests {
    private let directory: TemporaryDirectory
    private static let script = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
        .appendingPathComponent("../../install").standardizedFileURL

    init() throws {
        directory = try TemporaryDirectory()
    }

    private func install(_ arguments: String..., hasCurl: Bool = true) throws -> Tool.Result {
        let programs = [
            "swift": """
            echo "$@" >> '\(directory.url.path)/calls'
            case "$*" in *--show-bin-path*) echo '\(directory.url.path)/built';; esac
            """,
            "clang": hasCurl ? "cat > /dev/null" : "exit 1",
            "strip": "true",
        ]
        for (name, text) in programs {
            let program = try directory.write("#!/bin/sh\n\(text)\n", to: "toolchain/bin/\(name)")
            try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: program.path)
        }
        try directory.write("", to: "toolchain/lib/swift_static/readme")
        // The command itself is large.
        try directory.write("#!/bin/sh\nexec '\(Tool.executable.path)' \"$@\"\n", to: "built/stubborn")
        let path = ProcessInfo.processInfo.environment["PATH"] ?? ""
        return try Tool.run(
            URL(fileURLWithPath: "/usr/bin/env"),
            ["bash", Self.script.path] + arguments,
            in: directory.url,
            environment: ["PATH": "\(directory.file("toolchain/bin").path):\(path)"]
        )
    }

    @Test func `the command and its completions are below the prefix`() throws {
        let result = try install("new/prefix")
        #expect(result.status == 0, "\(result.errors)")
        let prefix = directory.file("new/prefix").path
        let installed = URL(fileURLWithPath: "\(prefix)/bin/stubborn")
        #expect(try Tool.run(installed, ["--version"], in: directory.url).status == 0)
        #expect(try FileManager.default.contentsOfDirectory(atPath: "\(prefix)/bin") == ["stubborn"])
        for (file, text) in [
            ("bash-completion/completions/stubborn", "complete"), ("zsh/site-functions/_stubborn", "#compdef stubborn"),
            ("fish/vendor_completions.d/stubborn.fish", "complete -c 'stubborn'"),
        ] {
            #expect(try directory.text("new/prefix/share/\(file)").contains(text), "\(file)")
        }
        #expect(result.output.hasPrefix("\(prefix)/bin/stubborn, version "))
        #expect(result.errors.contains("export PATH=\"\(prefix)/bin:"))
    }

    @Test(.enabled(if: Platform.isLinux, "On macOS the Swift libraries are part of the system."))
    func `the Swift libraries are linked in if the machine has what they need, and else it is named`() throws {
        #expect(try install("prefix").status == 0)
        #expect(try directory.text("calls").contains("--static-swift-stdlib"))
        try directory.write("", to: "calls")
        let result = try install("prefix", hasCurl: false)
        #expect(result.status == 0)
        #expect(try !directory.text("calls").contains("--static-swift-stdlib"))
        #expect(result.errors.contains("apt-get install libcurl4-openssl-dev"))
    }

    @Test func `the proxy is built only where it is asked for`() throws {
        #expect(try install("prefix").status == 0)
        #expect(try !directory.text("calls").contains("Proxy"))
        #expect(try install("--proxy", "prefix").status == 0)
        #expect(try directory.text("calls").contains("--traits Proxy"))
    }

    @Test func `a call without a prefix builds nothing`() throws {
        for result in [try install(), try install("--help")] {
            #expect(result.status == 64)
            #expect(result.errors.hasPrefix("Usage: Tools/install [--proxy] PREFIX"))
        }
        try directory.write("", to: "file")
        #expect(try install("file").status == 2)
        #expect(!FileManager.default.fileExists(atPath: directory.file("calls").path))
    }

    private enum Platform {
        #if os(Linux)
            static let isLinux = true
        #else
            static let isLinux = false
        #endif
    }
}
