import Foundation
import Testing

@testable import StubbornNetwork

/// The messages, word for word.
struct StubFileSyntaxErrorTests {
    private func fault(in data: Data) -> String? {
        do throws(StubbornNetworkError) {
            _ = try StubFileDocument(data)
            return nil
        } catch {
            guard error.code == .malformedStubFile, error.file?.lastPathComponent == "Login.json" else { return nil }
            let advice = ". Correct it by hand, or delete the file and record it again."
            guard error.message.hasPrefix("Stubs/Login.json:"), error.message.hasSuffix(advice) else { return nil }
            return String(error.message.dropFirst("Stubs/Login.json:".count).dropLast(advice.count))
        }
    }

    @Test func `the whole message names path, line, column, what was expected, what was found, and what to do`() throws
    {
        let text = StubFileDocumentTests.example.replacingOccurrences(of: "YWJj", with: "***")
        let error = #expect(throws: StubbornNetworkError.self) { try StubFileDocument(text) }
        #expect(
            error?.message
                == #"Stubs/Login.json:3:14: expected base64 text under "data", found "***". Correct it by hand, or delete the file and record it again."#
        )
    }

    @Test func `the error for a Git LFS pointer says what the file is`() {
        let pointer = "version https://git-lfs.github.com/spec/v1\noid sha256:4d7a\nsize 12345\n"
        let error = #expect(throws: StubbornNetworkError.self) { try StubFileDocument(pointer) }
        #expect(
            error?.message == """
                Stubs/Login.json:1:1: expected an array of stubs, found version. The file is a Git LFS pointer: run git lfs \
                pull.
                """
        )
    }

    @Test(arguments: [
        ("", "1:1: expected an array of stubs, found an empty file"),
        (" \n\t ", "1:1: expected an array of stubs, found an empty file"),
        ("\u{FEFF}", "1:1: expected an array of stubs, found an empty file"),
        ("{}", "1:1: expected an array of stubs, found an object"),
        ("null", "1:1: expected an array of stubs, found null"),
        ("<html><body>", "1:1: expected an array of stubs, found <html><body>"),
        ("[", "1:2: expected a value, found the end of the file"),
        ("[,]", #"1:2: expected a value, found ",""#),
        ("[{\"x-\":1]", #"1:9: expected "," or "}", found "]""#),
        ("[{}", #"1:2: expected "request" in this stub, found none"#),
        ("[]x", "1:3: expected nothing after the array of stubs, found x"),
        ("[]\u{0}", "1:3: expected nothing after the array of stubs, found \\u{0}"),
        ("[\n<<<<<<< HEAD\n{", "2:1: expected a value, found <<<<<<<"),
        ("[5]", #"1:2: expected a stub (an object with "request"), found 5"#),
        ("[null]", #"1:2: expected a stub (an object with "request"), found null"#),
        ("[nul]", "1:2: expected null, found nul"),
        ("[{a:1}]", "1:3: expected a key in quotation marks, found a"),
        (#"[{"a" 1}]"#, #"1:7: expected ":" after the key, found 1"#),
        (#"[{"x-":1 "b":2}]"#, #"1:10: expected "," or "}", found "b""#),
        (#"[{"x-äöü":}]"#, #"1:11: expected a value, found "}""#),
        (#"[{"a"#, "1:5: expected a closing quotation mark, found the end of the file"),
        (#"[{"a\u12"}]"#, #"1:5: expected an escape such as \n or \u00e9, found \u12"#),
        (#"[{"\x":1}]"#, #"1:4: expected an escape such as \n or \u00e9, found \x"#),
        (#"[{"\uD83D!":1}]"#, #"1:4: expected a pair of surrogates such as \ud83d\ude00, found \uD83D alone"#),
        ("[{\"a\tb\":1}]", "1:5: expected control characters in text to be escaped, found U+0009"),
        ("[{\"a\u{1F}b\":1}]", "1:5: expected control characters in text to be escaped, found U+001F"),
    ])
    func `the error for text that is not an array of objects names the place`(text: String, expected: String) {
        #expect(fault(in: Data(text.utf8)) == expected)
    }

    @Test(arguments: [
        (#""request":null"#, #"1:2: expected "request" in this stub, found none"#),
        (#""request":{}"#, #"1:13: expected "method" in this request, found none"#),
        (#""request":{"method":5}"#, #"1:23: expected text under "method", found 5"#),
        (#""request":{"method":""}"#, #"1:23: expected a method such as GET under "method", found """#),
        (#""request":{"method":"GET"}"#, #"1:13: expected "url" in this request, found none"#),
        (#""request":{"method":"GET","url":"/a"}"#, #"1:35: expected an absolute URL under "url", found "/a""#),
    ])
    func `the error for a malformed request says what was expected`(members: String, expected: String) {
        #expect(fault(in: Data("[{\(members)}]".utf8)) == expected)
    }

    @Test(arguments: [
        (#""headerFields":["a: b"]"#, #"expected a header field as "name[:::]value", found "a: b""#),
        (#""headerFields":[5]"#, #"expected a header field as "name[:::]value", found 5"#),
        (#""headerFields":"a""#, #"expected an array of header fields under "headerFields", found "a""#),
        (#""requestData":"YWJ""#, #"expected base64 text under "requestData", found "YWJ""#),
        (#""requestData":["a"]"#, #"expected base64 text under "requestData", found an array"#),
        (#""requestText":["a",1]"#, #"expected an array of lines under "requestText", found 1"#),
        (#""requestText":{}"#, #"expected an array of lines under "requestText", found an object"#),
        (
            #""requestText":["a"],"requestData":"YQ==""#,
            #"expected one body, found both "requestData" and "requestText""#
        ),
        (#""requestJSON":[01]"#, "expected a number, found 01"),
        (#""requestJSON":["\ud800"]"#, #"expected a pair of surrogates such as \ud83d\ude00, found \ud800 alone"#),
    ])
    func `the error for each malformed part of a request says what was expected`(members: String, expected: String)
        throws
    {
        let text = #"[{"request":{"method":"GET","url":"http://a",\#(members)}}]"#
        let message = try #require(fault(in: Data(text.utf8)))
        #expect(message.hasSuffix(": " + expected), "\(message)")
    }

    @Test(arguments: [
        (#""response":5"#, #"expected an object under "response", found 5"#),
        (#""response":{"responseData":"YQ=="}"#, #"expected "statusCode" in this response, found none"#),
        (#""response":{"headerFields":["a[:::]b"]}"#, #"expected "statusCode" in this response, found none"#),
        (#""response":{"statusCode":1000}"#, #"expected a status code from 0 to 999 under "statusCode", found 1000"#),
        (#""response":{"statusCode":-1}"#, #"expected a status code from 0 to 999 under "statusCode", found -1"#),
        (#""response":{"statusCode":200.5}"#, #"expected a status code from 0 to 999 under "statusCode", found 200.5"#),
        (#""response":{"statusCode":1e400}"#, #"expected a status code from 0 to 999 under "statusCode", found 1e400"#),
        (#""response":{"statusCode":"200"}"#, #"expected a status code from 0 to 999 under "statusCode", found "200""#),
        (#""error":{"domain":"D"}"#, #"expected "code" in this error, found none"#),
        (#""error":{"code":1}"#, #"expected "domain" in this error, found none"#),
        (#""error":{"code":true}"#, #"expected an error code (a whole number) under "code", found true"#),
        (#""timing":[]"#, #"expected an object under "timing", found an array"#),
        (#""timing":{"firstByte":-0.1}"#, #"expected seconds (0 to 1e9) under "firstByte", found -0.1"#),
        (#""timing":{"firstByte":1e999}"#, #"expected seconds (0 to 1e9) under "firstByte", found 1e999"#),
        (#""timing":{"firstByte":1e10}"#, #"expected seconds (0 to 1e9) under "firstByte", found 1e10"#),
        (#""timing":{"chunks":[[1e300,1]]}"#, #"expected chunks as [seconds, length] under "chunks", found an array"#),
        (#""timing":{"chunks":[[0,9e18]]}"#, #"expected chunks as [seconds, length] under "chunks", found an array"#),
        (#""timing":{"chunks":[5]}"#, #"expected chunks as [seconds, length] under "chunks", found 5"#),
        (#""timing":{"chunks":[[0,1.5]]}"#, #"expected chunks as [seconds, length] under "chunks", found an array"#),
        (#""timing":{"chunks":[[0,-1]]}"#, #"expected chunks as [seconds, length] under "chunks", found an array"#),
    ])
    func `the error for each malformed part of a response says what was expected`(members: String, expected: String)
        throws
    {
        let text = #"[{"request":{"method":"GET","url":"http://a"},\#(members)}]"#
        let message = try #require(fault(in: Data(text.utf8)))
        #expect(message.hasSuffix(": " + expected), "\(message)")
    }

    @Test func `the error for bytes that are not UTF-8 names the byte`() {
        #expect(
            fault(in: Data("[{\"a".utf8) + [0xC0, 0x80])
                == "1:6: expected a closing quotation mark, found the end of the file"
        )
        let cases: [([UInt8], String)] = [
            ([0xFF], "0xFF"), ([0xC3], "0xC3"), ([0xED, 0xA0, 0x80], "0xED"), ([0xEF, 0xBF], "0xBF"), ([0xEF], "0xEF"),
        ]
        for (bytes, name) in cases {
            let message = fault(in: Data("[{\"a".utf8) + bytes + Data("\":1}]".utf8))
            #expect(message?.hasSuffix(": expected UTF-8 text, found the byte \(name)") == true, "\(message ?? "none")")
        }
    }

    @Test func `an excerpt in a message has forty bytes at most`() {
        let long = String(repeating: "ä", count: 500)
        let start = String(repeating: "ä", count: 18) + "…"
        #expect(fault(in: Data(long.utf8)) == "1:1: expected an array of stubs, found \(start)")
        let expected = #"1:2: expected a stub (an object with "request"), found ""#
        #expect(fault(in: Data(#"["\#(long)"]"#.utf8)) == "\(expected)\(start)\"")
    }
}
