import Foundation
import Testing

@Suite(.enabled(if: TerminalWindow.isAvailable, "tmux is not installed; on Debian: apt-get install tmux"))
struct ReviewInTerminalTests {
    let directory: TemporaryDirectory

    init() throws {
        directory = try TemporaryDirectory()
        try Tool.git("init", in: directory.url)
        try directory.write(ReviewTests.before, to: "Stubs/A.json")
        try Tool.git("add", ".", in: directory.url)
        try Tool.git("commit", "-m", "Record", in: directory.url)
        try directory.write(ReviewTests.after, to: "Stubs/A.json")
    }

    /// The list of keys, which a key that is not one of them shows.
    private static let keys = """
        a  accept: stage the stub          f  accept the rest of the file
        r  reject: restore HEAD's state    l  accept all that is left
        s  skip: decide later              u  undo the last answer (also b)
        w  show the whole stub             q  quit
        """

    private func window(_ variables: String = "") throws -> TerminalWindow {
        let command = "echo $$ > process; exec \(Tool.executable.path) review"
        return try TerminalWindow(
            running: "clear; \(variables)sh -c '\(command)'; echo status $?",
            in: directory.url
        )
    }

    @Test func `a key decides at once, without the return key`() throws {
        let window = try window()
        #expect(
            try window.screen(showing: "(1/4)").contains(
                """
                (1/4) Stubs/A.json
                ~ GET https://api.example.com/dated
                    volatile: headers.Date
                [a]ccept, [r]eject, [s]kip, [u]ndo, show [w]hole, [?], [q]uit?
                """
            )
        )
        #expect(try window.coloredScreen().contains("\u{1B}["))
        try window.type("s")
        #expect(try window.screen(showing: "(2/4)").contains("[q]uit? s\n"))
        try window.type("a")
        #expect(try window.screen(showing: "(3/4)").contains("- GET https://api.example.com/old: 200, 2 bytes\n"))
        // The decision holds before the review ends.
        let staged = Recorded.file(ReviewTests.dated("Sat"), ReviewTests.user("Grace"), ReviewTests.old)
        #expect(try Tool.git("show", ":Stubs/A.json", in: directory.url) == staged)
        try window.type("r")
        _ = try window.screen(showing: "(4/4)")
        try window.type("q")
        #expect(
            try window.screen(showing: "status").contains("1 accepted, 1 rejected, 2 stubs left to review.\nstatus 1\n")
        )
    }

    @Test func `arrows and function keys decide nothing`() throws {
        let window = try window()
        _ = try window.screen(showing: "(1/4)")
        // Up, F3 and Delete: their last bytes are A, R and a tilde.
        let answer =
            "[a]ccept, [r]eject, [s]kip, [u]ndo, show [w]hole, [?], [q]uit? \\u{1B}\n\(Self.keys)\n"
        for (count, key) in zip(1..., ["Up", "F3", "DC"]) {
            try window.type(key)
            _ = try window.screen(showing: String(repeating: answer, count: count))
        }
        try window.type("q")
        #expect(
            try window.screen(showing: "status").contains("4 stubs left to review.\nstatus 1\n")
        )
    }

    @Test func `the whole stub is shown with what is gone and new`() throws {
        let window = try window()
        _ = try window.screen(showing: "(1/4)")
        try window.type("s")
        _ = try window.screen(showing: "(2/4)")
        try window.type("w")
        let whole = """
             GET https://api.example.com/user
             HTTP 200
               Content-Type: application/json

               {
            -    "name" : "Ada"
            +    "name" : "Grace"
               }
            [a]ccept
            """
        #expect(try window.screen(showing: "\"Grace\"\n   }\n[a]").contains(whole))
    }

    @Test func `with NO_COLOR the screen has no colours`() throws {
        let window = try window("NO_COLOR=1 ")
        _ = try window.screen(showing: "[q]uit?")
        #expect(try !window.coloredScreen().contains("\u{1B}["))
    }

    @Test func `another key says which there are`() throws {
        let window = try window()
        _ = try window.screen(showing: "(1/4)")
        try window.type("x")
        #expect(try window.screen(showing: Self.keys + "\n[a]ccept").contains("[q]uit? x\n\(Self.keys)\n[a]ccept"))
    }

    @Test(arguments: ["C-c", "C-d", "kill"])
    func `an interrupted review leaves decisions and the terminal as they are`(key: String) throws {
        let window = try window()
        _ = try window.screen(showing: "(1/4)")
        try window.type("a")
        _ = try window.screen(showing: "(2/4)")
        if key == "kill" {
            let identifier = try directory.text("process").trimmingCharacters(in: .newlines)
            kill(try #require(Int32(identifier)), SIGTERM)
        } else {
            try window.type(key)
        }
        _ = try window.screen(showing: "status")
        try window.type("clear; stty -a; echo end", "Enter")
        let settings = try window.screen(showing: "\nend\n")
        #expect(settings.contains(" icanon ") && settings.contains(" echo "))
        let staged = Recorded.file(ReviewTests.dated("Sun"), ReviewTests.user("Ada"), ReviewTests.old)
        #expect(try Tool.git("show", ":Stubs/A.json", in: directory.url) == staged)
        #expect(try directory.text("Stubs/A.json") == ReviewTests.after)
    }

    @Test func `a closed window leaves no process behind, even if its directory is gone`() throws {
        let elsewhere = try TemporaryDirectory()
        var window: TerminalWindow? = try TerminalWindow(running: "true", in: elsewhere.url)
        let socket = try #require(window?.socket)
        func processes() throws -> String {
            try Tool.run(program: ["pgrep", "-f", socket], in: directory.url).output
        }
        #expect(try !processes().isEmpty)
        try FileManager.default.removeItem(at: elsewhere.url)
        window = nil
        for _ in 0..<600 where try !processes().isEmpty { Thread.sleep(forTimeInterval: 0.05) }
        #expect(try processes().isEmpty)
    }

    @Test func `the question mark shows the keys, and undo takes an answer back`() throws {
        let window = try window()
        _ = try window.screen(showing: "(1/4)")
        try window.type("?")
        #expect(try window.screen(showing: Self.keys + "\n[a]ccept").contains("[?], [q]uit? ?\n\(Self.keys)\n[a]ccept"))
        try window.type("r")
        _ = try window.screen(showing: "(2/4)")
        try window.type("u")
        _ = try window.screen(showing: "[q]uit? u\n\n(1/4)")
        try window.type("q")
        #expect(try window.screen(showing: "status").contains("4 stubs left to review.\nstatus 1\n"))
        #expect(try directory.text("Stubs/A.json") == ReviewTests.after)
    }

    @Test func `Control-Z stops the review, and the shell continues it`() throws {
        let window = try TerminalWindow(running: "bash --norc -i", in: directory.url)
        try window.type("PS1='> '; clear; '\(Tool.executable.path)' review", "Enter")
        _ = try window.screen(showing: "(1/4)")
        try window.type("C-z")
        #expect(try window.screen(showing: "Stopped").contains("Stopped"))
        try window.type("stty -a | grep -c ' icanon'", "Enter")
        #expect(try window.screen(showing: "\n1\n").contains("\n1\n"))
        try window.type("fg", "Enter")
        // The stub may have left the screen in the meantime.
        #expect(try window.screen(showing: "review\n\n(1/4)").contains("review\n\n(1/4)"))
        try window.type("q")
        #expect(try window.screen(showing: "4 stubs left to review.").contains("4 stubs left to review."))
    }

    @Test func `a change that is longer than the screen is cut, and shown a screen at a time`() throws {
        let numbers = (1...300).map { "      \($0)" }.joined(separator: ",\n")
        try directory.write(
            Recorded.file(Recorded.stub("/long", json: "[\n\(numbers)\n    ]")),
            to: "Stubs/A.json"
        )
        let window = try window()
        _ = try window.screen(showing: "(1/4)")
        for number in 1...3 {
            try window.type("s")
            _ = try window.screen(showing: "(\(number + 1)/4)")
        }
        #expect(try window.screen(showing: "more lines: press w").contains("more lines: press w"))
        try window.type("w")
        let page = try window.screen(showing: "more lines: q to stop")
        #expect(page.contains("more lines: q to stop") && !page.contains("300"))
        try window.type("Space")
        _ = try window.screen(showing: "50")
        try window.type("q")
        #expect(try window.screen(showing: "[q]uit? \n").contains("more lines: q to stop"))
    }
}
