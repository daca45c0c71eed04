import Foundation
import Testing

@Suite struct DiffTests {
    let directory: TemporaryDirectory

    init() throws {
        directory = try TemporaryDirectory()
    }

    private func diff(_ old: String, _ new: String) throws -> Tool.Result {
        try directory.write(old, to: "old.json")
        try directory.write(new, to: "new.json")
        return try Tool.run(["diff", "old.json", "new.json"], in: directory.url)
    }

    private func user(_ json: String, status: Int = 200, date: String = "Sat", type: String = "application/json")
        -> String
    {
        Recorded.stub(
            "/users/42",
            status: status,
            json: json,
            headers: ["Content-Type[:::]\(type)", "Date[:::]\(date)"]
        )
    }

    @Test func `equal files have no difference`() throws {
        let file = Recorded.file(user(#"{"id":42}"#))
        let result = try diff(file, file)
        #expect(result.output.isEmpty)
        #expect(result.status == 0)
    }

    @Test func `a stub is compared by status, header fields and JSON key paths`() throws {
        let result = try diff(
            Recorded.file(user(#"{"id":42,"user":{"name":"Ada"},"old":true}"#)),
            Recorded.file(user(#"{"id":"42","user":{"name":"Grace"}}"#, status: 201, type: "text/json"))
        )
        #expect(
            result.output == """
                ~ GET https://api.example.com/users/42
                    status: 200 → 201
                    headers.Content-Type: "application/json" → "text/json"
                    body.id: 42 → "42"
                    body.old: true → none
                    body.user.name: "Ada" → "Grace"

                """
        )
        #expect(result.status == 1)
    }

    @Test func `another error, and one at the end of a whole response, are differences`() throws {
        func failing(_ code: Int) -> String {
            """
            { "request" : { "method" : "GET", "url" : "https://api.example.com/a" },
              "error" : { "domain" : "NSURLErrorDomain", "code" : \(code) } }
            """
        }
        #expect(
            try diff(Recorded.file(failing(-1001)), Recorded.file(failing(-1005))).output == """
                ~ GET https://api.example.com/a
                    error: NSURLErrorDomain -1001 → NSURLErrorDomain -1005

                """
        )
        let whole = Recorded.stub("/a", json: "1")
        let broken = whole.replacing("\"json\" :", with: #""error" : { "domain" : "D", "code" : 7 }, "json" :"#)
        let output = try diff(Recorded.file(whole), Recorded.file(broken)).output
        #expect(output == "~ GET https://api.example.com/a\n    response: 200 → D 7\n")
    }

    @Test(arguments: [(-1005, -1001), (-999, nil)] as [(Int, Int?)])
    func `another error after the same head is a difference`(code: Int, newCode: Int?) throws {
        func stub(_ code: Int?) -> String {
            let error = code.map { #""error" : { "domain" : "NSURLErrorDomain", "code" : \#($0) }, "# } ?? ""
            return Recorded.stub("/a", json: "1").replacing("\"json\" :", with: error + "\"json\" :")
        }
        let newError = newCode.map { "NSURLErrorDomain \($0)" } ?? "none"
        #expect(
            try diff(Recorded.file(stub(code)), Recorded.file(stub(newCode))).output == """
                ~ GET https://api.example.com/a
                    error: NSURLErrorDomain \(code) → \(newError)

                """
        )
    }

    @Test func `volatile values are folded into one line`() throws {
        let old = Recorded.file(user(#"{"id":1}"#), Recorded.stub("/a", json: "[]", headers: ["Date[:::]Sat"]))
        let new = Recorded.file(
            user(#"{"id":2}"#, date: "Sun"),
            Recorded.stub("/a", json: "[]", headers: ["Date[:::]Sun"])
        )
        #expect(
            try diff(old, new).output == """
                ~ GET https://api.example.com/users/42
                    body.id: 1 → 2
                    volatile: headers.Date
                ~ 1 stub differs in only volatile values: headers.Date

                """
        )
    }

    @Test func `values that the server made anew are folded, also in a request`() throws {
        func file(_ id: String, _ state: String) -> String {
            Recorded.file(
                Recorded.stub("/orders", json: #"{"id":"\#(id)","state":"new"}"#),
                Recorded.stub("/orders/\(id)", json: #"{"id":"\#(id)","state":"\#(state)"}"#)
            )
        }
        #expect(
            try diff(file("8f14e45fceea167a", "open"), file("c9f0f895fb98ab91", "paid")).output == """
                ~ GET https://api.example.com/orders/c9f0f895fb98ab91
                    body.state: "open" → "paid"
                    volatile: url, body.id
                ~ 1 stub differs in only volatile values: body.id

                """
        )
    }

    @Test func `a new and a removed stub are named, and the others keep their partners`() throws {
        let old = Recorded.file(Recorded.stub("/a", json: "[1]"), Recorded.stub("/b", json: "[]"))
        let new = Recorded.file(Recorded.stub("/c", json: "[]"), Recorded.stub("/a", json: "[2]"))
        #expect(
            try diff(old, new).output == """
                + GET https://api.example.com/c: 200, 2 bytes
                ~ GET https://api.example.com/a
                    body[0]: 1 → 2
                - GET https://api.example.com/b: 200, 2 bytes

                """
        )
    }

    @Test func `an element that is inserted into a long array is one difference`() throws {
        let old = (1...9).map { #"{"id":\#($0)}"# }
        let result = try diff(
            Recorded.file(Recorded.stub("/a", json: "[\(old.joined(separator: ","))]")),
            Recorded.file(Recorded.stub("/a", json: #"[{"id":0},\#(old.joined(separator: ","))]"#))
        )
        #expect(
            result.output == """
                ~ GET https://api.example.com/a
                    body:
                      @@ -1,5 +1,8 @@
                       [
                         {
                      +    "id" : 0
                      +  },
                      +  {
                           "id" : 1
                         },
                         {

                """
        )
    }

    @Test func `text is compared line by line`() throws {
        func text(_ line: String) -> String {
            Recorded.file(Recorded.stub("/", type: "text/plain", body: Data("one\n\(line)\nthree".utf8)))
        }
        #expect(
            try diff(text("two"), text("2")).output == """
                ~ GET https://api.example.com/
                    body:
                      @@ -1,3 +1,3 @@
                       one
                      -two
                      +2
                       three

                """
        )
    }

    @Test func `a GraphQL query is compared line by line, and its variables by key path`() throws {
        func request(_ field: String, _ id: Int) -> String {
            let body = #"{"query":"query User {\n  user {\n    \#(field)\n  }\n}","variables":{"id":\#(id)}}"#
            let type = "application/json"
            return Recorded.file(
                Recorded.stub("/", type: type, body: Data("1".utf8), request: Data(body.utf8), requestType: type)
            )
        }
        #expect(
            try diff(request("name", 1), request("email", 1)).output == """
                ~ GET https://api.example.com/
                    request.body:
                      @@ -2,7 +2,7 @@
                         "query" :
                           query User {
                             user {
                      -        name
                      +        email
                             }
                           }
                         "variables" : {

                """
        )
        #expect(
            try diff(request("name", 1), request("name", 2)).output == """
                ~ GET https://api.example.com/
                    request.body.variables.id: 1 → 2

                """
        )
    }

    @Test func `directories are compared file by file`() throws {
        try directory.write(Recorded.file(Recorded.stub("/a", json: "1")), to: "old/A.json")
        try directory.write(Recorded.file(Recorded.stub("/a", json: "2")), to: "new/A.json")
        try directory.write(Recorded.file(Recorded.stub("/b", json: "2")), to: "new/B.json")
        try directory.write(Recorded.file(Recorded.stub("/c", json: "3")), to: "old/C.json")
        #expect(
            try Tool.run(["diff", "old", "new"], in: directory.url).output == """
                A.json
                ~ GET https://api.example.com/a
                    body: "1" → "2"
                B.json, new
                + GET https://api.example.com/b: 200, 1 byte
                C.json, removed
                - GET https://api.example.com/c: 200, 1 byte

                """
        )
    }

    @Test func `a file is compared with the version of a commit`() throws {
        try Tool.git("init", in: directory.url)
        try directory.write(Recorded.file(Recorded.stub("/a", json: "[1]")), to: "Stubs/A.json")
        try Tool.git("add", ".", in: directory.url)
        try Tool.git("commit", "-m", "Record", in: directory.url)
        try directory.write(Recorded.file(Recorded.stub("/a", json: "[2]")), to: "Stubs/A.json")
        let result = try Tool.run(["diff", "HEAD:Stubs/A.json", "Stubs/A.json"], in: directory.url)
        #expect(result.output == "~ GET https://api.example.com/a\n    body[0]: 1 → 2\n")
    }
}
