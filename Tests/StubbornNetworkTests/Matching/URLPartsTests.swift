import Foundation
import Testing

@testable import StubbornNetwork

struct URLPartsTests {
    @Test(arguments: [
        ("https://api.example.com", "https://api.example.com/"),
        ("HTTPS://API.Example.COM:443/", "https://api.example.com/"),
        ("http://a.example:80", "http://a.example/"),
        ("http://a.example:080/", "http://a.example/"),
        ("http://a.example:443/", "http://a.example:443/"),
        ("http://a.example:/", "http://a.example/"),
        ("https://user:pass@a.example/#top", "https://a.example/"),
        ("https://a.example/%7euser/%c3%a9", "https://a.example/~user/%C3%A9"),
        ("https://a.example/é [x]", "https://a.example/%C3%A9%20%5Bx%5D"),
        ("https://a.example/a/../b/./c", "https://a.example/a/../b/./c"),
        ("https://a.example/%2F", "https://a.example/%2F"),
        ("https://a.example/%zz%", "https://a.example/%25zz%25"),
        ("https://a.example?b=2&a=1&&a", "https://a.example/?b=2&a=1&a"),
        ("https://a.example/?a=1+2&b==&c=", "https://a.example/?a=1+2&b==&c="),
        ("https://a.example/?x[]=1&y=%5b%5D", "https://a.example/?x%5B%5D=1&y=%5B%5D"),
        ("https://a.example/?t=%3A%40%2C%2F%3F%3B%24", "https://a.example/?t=:@,/?;$"),
        ("https://a.example/?t=%2B%26%3D", "https://a.example/?t=%2B%26%3D"),
        ("http://[::1]:8080/a", "http://[::1]:8080/a"),
        ("http://[::1", "http://[::1/"), ("http://[FE80::AbCd]:8080/A", "http://[fe80::abcd]:8080/A"),
        ("http://b%C3%BCcher.example/", "http://b%c3%bccher.example/"),
        ("My-App.v2+x://A.example/b", "my-app.v2+x://a.example/b"), ("1app://A.example/b", "//1app://A.example/b"),
        ("http:///a", "http:///a"), ("//a.example/b", "//a.example/b"), ("", "///"), ("?", "///"), (":", "//:"),
        ("http://a.example:99999999999999999999999/", "http://a.example:99999999999999999999999/"),
    ])
    func `a URL has one spelling`(written: String, spelled: String) {
        #expect(URLParts(written).text == spelled)
    }

    @Test func `normalizing a normalized URL changes nothing`() {
        for text in ["https://a.example/%zz%/é [x]?a=%%41&b=%7E", "http://[::1]:8080/a?b"] {
            let once = URLParts(text)
            #expect(URLParts(once.text) == once)
        }
    }

    @Test func `odd bytes and huge queries do not trap`() {
        var random = Generator(seed: 31)
        let alphabet = Array("ab:/?#[]@%&=.5é ")
        for _ in 0..<5_000 {
            let text = String(
                (0..<Int.random(in: 0..<24, using: &random)).compactMap { _ in alphabet.randomElement(using: &random) }
            )
            _ = URLParts(text).text
            _ = RequestPattern.get(text).match(.make("GET", "https://a.example/"))
        }
        let huge = "https://a.example/?" + (0..<50_000).map { "k\($0)=\($0)" }.joined(separator: "&")
        #expect(URLParts(huge).query.count == 50_000)
    }
}
