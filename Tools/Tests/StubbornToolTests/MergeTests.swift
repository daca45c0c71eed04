import Foundation
import Testing

/// Two branches that have both changed a recording.
@Suite(.timeLimit(.minutes(5))) struct MergeTests {
    private let directory: TemporaryDirectory
    private let name = "Tests/Stubs/A.json"
    private let login = Recorded.stub("/login", method: "POST", json: #"{"user":1}"#)

    init() throws {
        directory = try TemporaryDirectory()
        try Tool.git("init", in: directory.url)
        try directory.write("*.log\n", to: ".gitignore")
        _ = try Tool.run(["init", "--git"], in: directory.url)
        try commit(login)
    }

    private func user(_ id: Int, _ name: String = "Ada") -> String {
        Recorded.stub("/users/\(id)", json: #"{"name":"\#(name)"}"#)
    }

    private func commit(_ stubs: String...) throws {
        try directory.write(Recorded.file(stubs), to: name)
        try Tool.git("add", ".", in: directory.url)
        try Tool.git("commit", "-m", "Record", in: directory.url)
    }

    /// Commits what each branch does, and merges theirs into ours.
    private func merge(ours: () throws -> Void, theirs: () throws -> Void) throws -> (status: Int32, message: String) {
        try Tool.git("checkout", "-b", "theirs", in: directory.url)
        try theirs()
        try Tool.git("checkout", "main", in: directory.url)
        try ours()
        let result = try Tool.run(
            URL(fileURLWithPath: "/usr/bin/env"),
            ["git", "-c", "user.name=Ada", "-c", "user.email=ada@example.com", "merge", "--no-edit", "theirs"],
            in: directory.url
        )
        return (result.status, result.output + result.errors)
    }

    @Test func `requests that both branches have added are in the file, ours before theirs`() throws {
        let result = try merge(
            ours: { try commit(login, user(1, "One"), user(9, "Nine")) },
            theirs: { try commit(login, user(2, "Two"), user(3, "Three")) }
        )
        #expect(result.status == 0, "\(result.message)")
        #expect(
            try directory.text(name)
                == Recorded.file([login, user(1, "One"), user(9, "Nine"), user(2, "Two"), user(3, "Three")])
        )
    }

    @Test func `a stub is taken from the branch that has changed, removed or added it`() throws {
        try commit(login, user(1, "Ada"), user(2, "Bob"), user(3, "Cid"))
        let result = try merge(
            ours: { try commit(login, user(1, "Eve"), user(2, "Bob")) },
            theirs: { try commit(user(4, "Dan"), login, user(1, "Ada"), user(2, "Ben"), user(3, "Cid")) }
        )
        #expect(result.status == 0, "\(result.message)")
        #expect(try directory.text(name) == Recorded.file([user(4, "Dan"), login, user(1, "Eve"), user(2, "Ben")]))
    }

    @Test func `an equal request that both have added is there once`() throws {
        let result = try merge(
            ours: { try commit(login, user(1, "One"), user(2, "Two")) },
            theirs: { try commit(login, user(1, "One"), user(3, "Three")) }
        )
        #expect(result.status == 0, "\(result.message)")
        #expect(try directory.text(name) == Recorded.file([login, user(1, "One"), user(2, "Two"), user(3, "Three")]))
    }

    @Test func `a stub that both have changed is a conflict, and the file can be read all the same`() throws {
        try commit(login, user(1, "Ada"))
        let result = try merge(
            ours: { try commit(login, user(1, "Eve")) },
            theirs: { try commit(login, user(1, "Bob"), user(2, "Two")) }
        )
        #expect(result.status == 1)
        #expect(
            result.message.contains(
                """
                \(name): both branches have changed 1 stub. The current branch's is in the file:
                  GET https://api.example.com/users/1
                Record the test again, or take the other file: git checkout --theirs \(name)

                """
            )
        )
        #expect(try directory.text(name) == Recorded.file([login, user(1, "Eve"), user(2, "Two")]))
        try Tool.git("checkout", "--theirs", name, in: directory.url)
        #expect(try directory.text(name) == Recorded.file([login, user(1, "Bob"), user(2, "Two")]))
    }

    /// Merges two versions of a file without git.
    private func merged(_ base: [String], _ ours: [String], _ theirs: [String]) throws -> Tool.Result {
        for (name, stubs) in [("base", base), ("ours", ours), ("theirs", theirs)] {
            try directory.write(Recorded.file(stubs), to: "\(name).json")
        }
        return try Tool.run(["merge", "base.json", "ours.json", "theirs.json"], in: directory.url)
    }

    @Test(arguments: [true, false])
    func `a stub that one branch has removed and the other has changed stays`(isChangedByOurs: Bool) throws {
        let removed = [login, user(2, "Bob")]
        let changed = [login, user(1, "Eve"), user(2, "Bob")]
        let result = try merged(
            [login, user(1, "Ada"), user(2, "Bob")],
            isChangedByOurs ? changed : removed,
            isChangedByOurs ? removed : changed
        )
        #expect(result.status == 0, "\(result.errors)")
        #expect(try directory.text("ours.json") == Recorded.file(changed))
    }

    @Test(arguments: [("Ada", 0), ("Eve", 1)])
    func `a stub that both have recorded again is a conflict if more than volatile values differ`(
        name: String,
        status: Int32
    ) throws {
        func dated(_ day: String, _ name: String) -> String {
            let fields = ["Content-Type[:::]application/json", "Date[:::]\(day)"]
            return Recorded.stub("/users/1", json: #"{"name":"\#(name)"}"#, headers: fields)
        }
        let result = try merged([dated("Fri", "Ada")], [dated("Sat", "Ada")], [dated("Sun", name)])
        #expect(result.status == status, "\(result.errors)")
        #expect(result.errors.contains("  GET https://api.example.com/users/1\n") == (status == 1))
        #expect(try directory.text("ours.json") == Recorded.file(dated("Sat", "Ada")))
    }

    @Test func `a response that only one of both has cancelled is a conflict`() throws {
        let whole = Recorded.stub("/events", json: "1")
        let error = #""error" : { "domain" : "NSURLErrorDomain", "code" : -999 }, "json" :"#
        let cancelled = whole.replacing("\"json\" :", with: error)
        let result = try merged([Recorded.stub("/events", json: "2")], [cancelled], [whole])
        #expect(result.status == 1)
        #expect(result.errors.contains("  GET https://api.example.com/events\n"))
    }

    @Test func `a line that both have changed in a file that is no recording is a conflict`() throws {
        for (name, value) in [("base", 1), ("ours", 2), ("theirs", 3)] {
            try directory.write("{\n  \"a\": \(value)\n}\n", to: "\(name).json")
        }
        let result = try Tool.run(["merge", "base.json", "ours.json", "theirs.json"], in: directory.url)
        #expect(result.status == 1)
        let text = try directory.text("ours.json")
        #expect(text.contains("<<<<<<< ours.json\n  \"a\": 2\n"), "\(text)")
        #expect(text.contains("  \"a\": 3\n>>>>>>> theirs.json\n"), "\(text)")
    }

    @Test func `a file that is no recording is merged line by line`() throws {
        try directory.write("{\n  \"a\": 1,\n  \"b\": 1,\n  \"c\": 1,\n  \"d\": 1\n}\n", to: "Tests/Stubs/data.json")
        try Tool.git("add", ".", in: directory.url)
        try Tool.git("commit", "-m", "Add", in: directory.url)
        func commit(_ text: String) throws {
            try directory.write(text, to: "Tests/Stubs/data.json")
            try Tool.git("commit", "-am", "Change", in: directory.url)
        }
        let result = try merge(
            ours: { try commit("{\n  \"a\": 2,\n  \"b\": 1,\n  \"c\": 1,\n  \"d\": 1\n}\n") },
            theirs: { try commit("{\n  \"a\": 1,\n  \"b\": 1,\n  \"c\": 1,\n  \"d\": 2\n}\n") }
        )
        #expect(result.status == 0, "\(result.message)")
        #expect(
            try directory.text("Tests/Stubs/data.json") == "{\n  \"a\": 2,\n  \"b\": 1,\n  \"c\": 1,\n  \"d\": 2\n}\n"
        )
    }
}
