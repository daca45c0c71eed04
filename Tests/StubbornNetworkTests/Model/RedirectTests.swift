import Foundation
import Testing

@testable import StubbornNetwork

struct RedirectTests {
    private func following(
        _ status: Int,
        _ method: String = "GET",
        from: String = "http://api.test/a/b?x=1",
        to location: String?
    ) -> URLRequest? {
        var request = URLRequest(url: URL(string: from)!)
        request.httpMethod = method
        request.httpBody = method == "GET" ? nil : Data("body".utf8)
        request.setValue("secret", forHTTPHeaderField: "Authorization")
        request.setValue("session=secret", forHTTPHeaderField: "Cookie")
        request.setValue("text/plain", forHTTPHeaderField: "Content-Type")
        request.setValue("1", forHTTPHeaderField: "X-Mine")
        let fields = location.map { ["Location": $0] } ?? [:]
        let response = HTTPURLResponse(url: request.url!, statusCode: status, httpVersion: nil, headerFields: fields)!
        return Redirect.next(after: response, to: request)
    }

    @Test(arguments: [
        (301, "GET", "GET"), (302, "GET", "GET"), (303, "GET", "GET"), (307, "GET", "GET"), (308, "GET", "GET"),
        (301, "POST", "GET"), (302, "POST", "GET"), (303, "POST", "GET"), (303, "PUT", "GET"), (303, "HEAD", "HEAD"),
        (301, "PUT", "PUT"), (302, "DELETE", "DELETE"), (307, "POST", "POST"), (308, "PUT", "PUT"),
    ])
    func `the status code decides whether a redirect keeps its method and body`(
        status: Int,
        method: String,
        becomes: String
    ) throws {
        let next = try #require(following(status, method, to: "/c"))
        #expect(next.httpMethod == becomes)
        #expect(next.url?.absoluteString == "http://api.test/c")
        let keepsBody = method == becomes && method != "GET"
        #expect(next.httpBody == (keepsBody ? Data("body".utf8) : nil))
        #expect((next.value(forHTTPHeaderField: "Content-Type") == nil) == (method != becomes))
        #expect(next.value(forHTTPHeaderField: "X-Mine") == "1")
    }

    @Test(arguments: [
        ("c", "http://api.test/a/c"),
        ("?y=2", "http://api.test/a/b?y=2"),
        ("//other.test/c", "http://other.test/c"),
        ("https://api.test/c", "https://api.test/c"),
        ("/c#there", "http://api.test/c#there"),
    ])
    func `a location is resolved against the URL that redirects`(location: String, target: String) {
        #expect(following(302, to: location)?.url?.absoluteString == target)
    }

    @Test func `a redirect keeps the request's fragment`() {
        #expect(
            following(302, from: "http://api.test/a#here", to: "/c")?.url?.absoluteString == "http://api.test/c#here"
        )
    }

    @Test(arguments: [
        ("/c", true), ("http://api.test/c", true), ("http://other.test/c", false), ("https://api.test/c", false),
        ("http://api.test:8080/c", false),
    ])
    func `a redirect to another origin drops the credentials`(location: String, areKept: Bool) {
        for name in ["Authorization", "Cookie"] {
            #expect((following(302, to: location)?.value(forHTTPHeaderField: name) != nil) == areKept, "\(name)")
        }
    }

    @Test(
        arguments: [
            (200, "/c"), (300, "/c"), (304, "/c"), (302, nil), (302, "mailto:me@api.test"), (302, "ftp://api.test/"),
        ] as [(Int, String?)]
    )
    func `a response without a redirect status or an HTTP location is not followed`(status: Int, location: String?) {
        #expect(following(status, to: location) == nil)
    }

    @Test(arguments: [19, 20, 21])
    func `a session follows twenty redirects, and fails at the next`(count: Int) async throws {
        let network = StubbornNetwork(.ephemeral, environment: [:])
        network.stub(.path("/:number")) { request in
            let number = Int(request.pathParameters["number"] ?? "") ?? 0
            return number == 0 ? .text("end") : .status(302, headers: ["lOCATION": "/\(number - 1)"])
        }
        let url = try URL.parsed("https://api.test/\(count)")
        if count <= 20 {
            #expect(try await network.session.data(from: url).0 == Data("end".utf8))
        } else {
            let error = await #expect(throws: URLError.self) { try await network.session.data(from: url) }
            #expect(error?.code == .httpTooManyRedirects)
        }
    }

    @Test(arguments: ["authorization", "AUTHORIZATION", "cookie", "COOKIE", "host", "Host"])
    func `a redirect to another origin drops credentials in any case, and one within the origin keeps them`(
        name: String
    ) throws {
        for (location, isKept) in [("HTTP://API.TEST/c", true), ("http://other.test/c", false)] {
            var request = URLRequest(url: try URL.parsed("http://api.test/a"))
            request.setValue("secret", forHTTPHeaderField: name)
            let fields = ["location": location]
            let response = HTTPURLResponse(url: request.url!, statusCode: 302, httpVersion: nil, headerFields: fields)!
            let next = Redirect.next(after: response, to: request)
            #expect((next?.value(forHTTPHeaderField: name) == "secret") == isKept, "\(location)")
        }
    }

    @Test(arguments: [
        ("http://a", true), ("HTTPS://A/", true), ("http://a:80?q", true), ("http://u:p@a#f", true),
        ("http://[::1]:80/", true),
        ("http:///a", false), ("http:a", false), ("http://:80/", false), ("http://?q", false), ("ftp://a/", false),
        ("//a/", false), ("httpx://a/", false), ("file:///a", false), ("a", false),
    ])
    func `stubs answer requests for HTTP and a host`(url: String, isAnswerable: Bool) throws {
        #expect(try #require(URL(string: url)).isAnswerable == isAnswerable)
    }
}
