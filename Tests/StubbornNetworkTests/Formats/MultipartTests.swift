import Foundation
@_spi(Tools) import StubbornNetworkTooling
import Testing

@testable import StubbornNetwork

struct MultipartTests {
    /// Each part as `head|content`.
    private func parts(_ body: String, _ delimiter: String = "--b") -> [String]? {
        body.withBytes { bytes in
            delimiter.withBytes { Multipart.parts(of: bytes, delimiter: $0) }?.map {
                "\(bytes.part($0.head).text)|\(bytes.part($0.content).text)"
            }
        }
    }

    @Test(arguments: [
        ("--b\r\nA: 1\r\nB: 2\r\n\r\nx\r\n--b\r\n\r\ny\r\n--b--\r\nafter", ["A: 1\r\nB: 2|x", "|y"]),
        ("--b\nA: 1\n\nx\n--b\n\ny\n--b--", ["A: 1|x", "|y"]),
        ("before\r\n--b\r\n\r\nx", ["|x"]),
        ("--b\r\n\r\na--b\r\n--bc\r\n--b--", ["|a--b\r\n--bc"]),
        ("--b\r\nno head\r\n--b--", ["|no head"]),
        ("--b\r\n\r\n\r\n--b--", ["|"]), ("--b--", []), ("--b", ["|"]), ("--b\n--b--", ["|"]),
        ("--b \r\n\r\n\n\n\r\n--b--", ["|\n\n"]),
    ])
    func `a body is divided at the lines that begin with the delimiter`(body: String, expected: [String]) {
        #expect(parts(body) == expected)
    }

    @Test func `programs read the parts of a body only if its type says that it has some`() throws {
        let body = Data("--b\r\nA: 1\r\n\r\nx\r\n--b--".utf8)
        let parts = try #require(StubFile.multipart(body, contentType: "multipart/form-data; boundary=b"))
        #expect(parts.map { String(decoding: $0.content, as: UTF8.self) } == ["x"])
        #expect(StubFile.multipart(body, contentType: "multipart/form-data") == nil)
        #expect(StubFile.multipart(body, contentType: "text/plain; boundary=b") == nil)
    }

    @Test(arguments: [
        ("multipart/form-data; boundary=b", "b"), ("Multipart/Mixed; Boundary=\"b c\"", "b c"),
        ("multipart/form-data; x-boundary=a; boundary=b", "b"), ("multipart/form-data", nil),
        ("text/plain; boundary=b", nil),
    ])
    func `the boundary is the parameter of that name, in any case`(contentType: String, boundary: String?) {
        #expect(StubFile.multipartBoundary(ofContentType: contentType) == boundary)
    }

    @Test(arguments: ["", "x", "a--b", "--c\r\n\r\nx"])
    func `a body without the delimiter has no parts`(body: String) {
        #expect(parts(body) == nil)
        #expect(parts(body, "--") == nil)
    }

    @Test(arguments: [
        (#"Content-Disposition: form-data; name="title""#, "title"),
        (#"Content-Disposition:form-data;name="title";filename="a""#, "title"),
        ("content-disposition: form-data; Name=title", "title"),
        ("Content-Disposition: form-data; filename=name.txt; NAME=title ; x=1", "title"),
        (#"Content-Disposition: form-data; filename="a; name=b"; name="title""#, "title"),
        (#"Content-Disposition: form-data; filename="a\"; name=b"; name="title""#, "title"),
        ("Content-Type: text/plain; name=a\r\nContent-Disposition: form-data; name=title", "title"),
        ("Content-Disposition: form-data; x-name=title", nil), ("Content-Disposition: form-data; filename=title", nil),
        ("Content-Disposition: form-data; name", nil), (#"Content-Disposition: form-data; name=""#, ""),
        (#"Content-Disposition: form-data; name="a\"#, "a\\"), ("", nil),
    ])
    func `the name of a part is the same for redacting and for ignoring`(head: String, name: String?) {
        let part = BodyPart(head: Data(head.utf8), content: Data("1".utf8))
        #expect(part.name == name)
        let body = "--b\r\n\(head)\r\n\r\n1\r\n--b--"
        let names = body.withBytes { bytes -> [String] in
            var names: [String] = []
            Multipart.read(Multipart.parts(of: bytes) ?? [], of: bytes) { field in
                names += field.names.map { bytes.part($0).text }
            }
            return names
        }
        #expect(names == (name.map { [$0] } ?? []))
        func request(_ value: String) -> StubRequest {
            .make(
                "POST",
                "https://a.example/",
                ["Content-Type": "multipart/form-data; boundary=b"],
                body: "--b\r\n\(head)\r\n\r\n\(value)\r\n--b--"
            )
        }
        guard let name, !head.isEmpty else { return }
        #expect(request("1").answers(request("2"), by: [.requestBody(ignoringFields: [name])]))
    }
}
