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
