import Foundation
import Testing

/// `stubborn report`: a page about recordings, looked at in a real browser.
@Suite struct ReportTests {
    /// Two files: a login with a list of users, and an image with the times that were recorded.
    private func directory() throws -> TemporaryDirectory {
        let directory = try TemporaryDirectory()
        try directory.write(
            """
            [
              {
                "json" : { "name" : "Ada <script>document.title='broken'</script>" },
                "request" : {
                  "method" : "GET",
                  "url" : "https://api.example.com/users/1"
                },
                "response" : {
                  "headerFields" : [ "Content-Type[:::]application/json" ],
                  "statusCode" : 200
                },
                "timing" : { "chunks" : [ [ 0.1, 10 ], [ 0.3, 40 ] ], "firstByte" : 0.2 }
              },
              {
                "request" : {
                  "method" : "POST",
                  "requestJSON" : { "user" : "ada" },
                  "headerFields" : [ "Content-Type[:::]application/json" ],
                  "url" : "https://api.example.com/login"
                },
                "response" : {
                  "statusCode" : 401
                }
              }
            ]
            """,
            to: "Stubs/Users.json"
        )
        try directory.write(
            """
            [
              {
                "data" : "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==",
                "request" : {
                  "method" : "GET",
                  "url" : "https://cdn.example.com/dot.png"
                },
                "response" : {
                  "headerFields" : [ "Content-Type[:::]image/png" ],
                  "statusCode" : 200
                }
              }
            ]
            """,
            to: "Stubs/Image.json"
        )
        return directory
    }

    /// A function in JavaScript that returns the strings of a highlight.
    private static let marked =
        "(name => [...CSS.highlights.get(name)].map(r => r.startContainer.data.slice(r.startOffset, r.endOffset)))"

    private func commit(_ directory: TemporaryDirectory, _ option: String = "--quiet") throws {
        try Tool.git("init", "--quiet", in: directory.url)
        try Tool.git("add", ".", in: directory.url)
        try Tool.git("commit", "--quiet", "--message", "Record", option, in: directory.url)
    }

    @Test func `the page is one file that loads nothing from elsewhere`() throws {
        let directory = try directory()
        let run = try Tool.run(["report", "Stubs", "--output", "report.html"], in: directory.url)
        #expect(run.status == 0)
        #expect(run.errors.contains("report.html"))
        let page = try directory.text("report.html")
        #expect(page.contains("default-src 'none'"))
        #expect(!page.contains("src=\"http") && !page.contains("<link") && !page.contains("@import"))
        #expect(page.contains("Ada &lt;script&gt;"))
    }

    @Test(.enabled(if: Browser.driver != nil, "chromedriver is missing: apt-get install chromium chromium-driver"))
    func `a person searches, filters and opens stubs in a browser`() throws {
        let directory = try directory()
        try #require(try Tool.run(["report", "Stubs", "--output", "report.html"], in: directory.url).status == 0)
        let browser = try Browser()
        defer { browser.end() }
        try browser.open(directory.url.appendingPathComponent("report.html"))

        #expect(try browser.value("document.title") == "Recordings")
        #expect(try browser.text("#count") == "3 of 3 stubs")
        #expect(try browser.text(".totals").hasPrefix("2 stub files, 3 stubs"))

        // A closed stub shows nothing of its body; a click opens it.
        let json = "#file-2-stub-1"
        #expect(try browser.value("document.querySelectorAll('.content, pre, img').length") == "0")
        try browser.click("\(json) summary")
        #expect(try browser.text("\(json) pre").contains("Ada <script>"))
        #expect(try browser.text("\(json) .timing") == "First byte after 0.200 s, body in 2 parts until 0.500 s")

        // The image is displayed.
        try browser.click("#open")
        #expect(try browser.value("document.querySelector('img').naturalWidth") == "1")

        // The search finds words in bodies and URLs; the address keeps it.
        try browser.type("dot.png", into: "#search")
        #expect(try browser.text("#count") == "1 of 3 stubs")
        #expect(try browser.value("location.hash") == "#search=dot.png")
        #expect(try browser.value("[...document.querySelectorAll('.file')].filter(f => !f.hidden).length") == "1")

        // A view that is passed on shows the same.
        try browser.open(try #require(URL(string: "about:blank")))
        let page = directory.url.appendingPathComponent("report.html").absoluteString
        try browser.open(try #require(URL(string: "\(page)#method=POST&status=4xx")))
        #expect(try browser.text("#count") == "1 of 3 stubs")
        #expect(try browser.text("details:not([hidden]) .url") == "https://api.example.com/login")
    }

    @Test func `the page shows what has changed since a commit, side by side`() throws {
        let directory = try directory()
        try commit(directory)
        let text = try directory.text("Stubs/Users.json")
        try directory.write(text.replacing("401", with: "403"), to: "Stubs/Users.json")
        let run = try Tool.run(["report", "Stubs", "--output", "report.html", "--against", "HEAD"], in: directory.url)
        #expect(run.status == 0)
        let page = try directory.text("report.html")
        #expect(page.contains("Compared with HEAD: 1 changed, 2 same."))
        #expect(page.contains(#"<tr class="changed"><td>HTTP 401</td><td>HTTP 403</td></tr>"#))
    }

    @Test func `a stub has the problems that a check finds in it`() throws {
        let directory = try TemporaryDirectory()
        let stubs = [Recorded.stub("/a", json: "1"), Recorded.stub("/b", status: 503, json: "1")]
        try directory.write(Recorded.file(stubs), to: "A.json")
        #expect(try Tool.run(["report", "A.json", "--output", "report.html"], in: directory.url).status == 0)
        let page = try directory.text("report.html")
        #expect(page.contains("1 stub file, 2 stubs, 2 bytes of bodies, 1 problem"))
        let rows = page.components(separatedBy: "<details class=\"stub\"")
        let badge = #"<span class="change warning">recorded-error</span>"#
        #expect(rows.map { $0.contains(badge) } == [false, false, true])
        #expect(page.contains(#"<p class="problem warning">Stub 2, GET https://api.example.com/b: the status 503 was"#))
    }

    @Test(.enabled(if: Browser.driver != nil, "chromedriver is missing: apt-get install chromium chromium-driver"))
    func `JSON folds, and what is copied stays whole`() throws {
        let directory = try TemporaryDirectory()
        let user = Recorded.stub("/users/42", json: #"{"user":{"name":"{<&","roles":["author",{}]}}"#)
        try directory.write(Recorded.file(user), to: "A.json")
        try #require(try Tool.run(["report", "A.json", "--output", "report.html"], in: directory.url).status == 0)
        let browser = try Browser()
        defer { browser.end() }
        try browser.open(directory.url.appendingPathComponent("report.html"))
        try browser.click(".stub > summary")
        let text = """
            {
              "user" : {
                "name" : "{<&",
                "roles" : [
                  "author",
                  {}
                ]
              }
            }
            """
        #expect(try browser.text("pre") == text)
        try browser.click("pre details details summary")
        #expect(try browser.value("document.querySelector('pre').innerText") == "{\n  \"user\" : {}\n}")
        #expect(try browser.value("document.querySelector('pre').textContent") == text)
    }

    @Test func `a file that cannot be read is named on the page`() throws {
        let directory = try directory()
        try directory.write(#"[ { "request" : { "url" : 1 } } ]"#, to: "Stubs/Broken.json")
        let run = try Tool.run(["report", "Stubs", "--output", "report.html"], in: directory.url)
        #expect(run.status == 2)
        #expect(try directory.text("report.html").contains("Stubs/Broken.json"))
        #expect(run.errors.contains("Stubs/Broken.json"))
    }

    @Test func `a renamed file and a stub with another date are shown as such`() throws {
        let directory = try directory()
        let stub = { (day: String) in Recorded.stub("/a", json: "1", headers: ["Date[:::]\(day)"]) }
        let user = Recorded.stub("/users/42", json: #"{"user":{"name":"Ada","roles":["author","editor"]}}"#)
        try directory.write(Recorded.file(stub("Sat"), user), to: "Stubs/Old.json")
        try commit(directory)
        try directory.write(Recorded.file(stub("Sun"), user), to: "Stubs/New.json")
        try FileManager.default.removeItem(at: directory.file("Stubs/Old.json"))
        let run = try Tool.run(["report", "Stubs", "--output", "report.html", "--against", "HEAD"], in: directory.url)
        #expect(run.status == 0)
        let page = try directory.text("report.html")
        #expect(page.contains("Compared with HEAD: 1 volatile, 4 same."))
        #expect(page.contains("<h2>Stubs/New.json <small>renamed from Stubs/Old.json, 2 stubs</small></h2>"))
        #expect(!page.contains("data-file=\"Stubs/Old.json\""))
    }

    @Test func `the size of a body is that of its bytes, not of its base64`() throws {
        let directory = try TemporaryDirectory()
        let body = Data(repeating: 7, count: 6_345)
        try directory.write(Recorded.file(Recorded.stub("/a", type: "a/b", body: body)), to: "A.json")
        #expect(try Tool.run(["report", "A.json", "--output", "report.html"], in: directory.url).status == 0)
        let page = try directory.text("report.html")
        #expect(page.contains("1 stub file, 1 stub, 6.3 kB of bodies"))
        #expect(page.contains(#"<span class="size">6.3 kB</span>"#))
    }

    @Test(.enabled(if: Browser.driver != nil, "chromedriver is missing: apt-get install chromium chromium-driver"))
    func `an address that cannot be decoded is searched as it is`() throws {
        let directory = try directory()
        try #require(try Tool.run(["report", "Stubs", "--output", "report.html"], in: directory.url).status == 0)
        let browser = try Browser()
        defer { browser.end() }
        let page = directory.url.appendingPathComponent("report.html").absoluteString
        try browser.open(try #require(URL(string: page)))
        // `URL` would encode each `%` again.
        _ = try browser.value("(location.hash = '#search=%E0%A4%A', location.reload())")
        var count = ""
        for _ in 0..<100 where count != "0 of 3 stubs" { count = try browser.text("#count") }
        #expect(count == "0 of 3 stubs")
    }

    @Test(.enabled(if: Browser.driver != nil, "chromedriver is missing: apt-get install chromium chromium-driver"))
    func `words are marked, JSON has colours, and the slash goes to the search`() throws {
        let directory = try directory()
        try #require(try Tool.run(["report", "Stubs", "--output", "report.html"], in: directory.url).status == 0)
        let browser = try Browser()
        defer { browser.end() }
        let page = directory.url.appendingPathComponent("report.html").absoluteString
        try browser.open(try #require(URL(string: page)))
        try browser.type("/", into: "summary")
        #expect(try browser.value("document.activeElement.id") == "search")
        try browser.type("ada", into: "#search")
        #expect(try browser.value("document.getElementById('search').value") == "ada")
        // Closed stubs show nothing to mark.
        #expect(try browser.value("CSS.highlights.get('found').size") == "0")
        try browser.click("#open")
        #expect(try browser.text("#count") == "2 of 3 stubs")
        // The toggle events come after the click.
        var count = ""
        for _ in 0..<100 where count != "2" {
            count = try browser.value("CSS.highlights.get('found').size")
        }
        #expect(count == "2")
        #expect(
            try browser.value("\(Self.marked)('json-key').sort().join(' ')") == #""name" "user""#
        )
        #expect(
            try browser.value("getComputedStyle(document.querySelector('[data-copy=curl]'), '::before').content")
                == #""Copy as cURL""#
        )
        #expect(
            try browser.value("document.querySelector('details:not([hidden]) [data-copy=curl]').dataset.text")
                == "curl 'https://api.example.com/users/1'"
        )
    }

    @Test(.enabled(if: Browser.driver != nil, "chromedriver is missing: apt-get install chromium chromium-driver"))
    func `the part of a line that has changed is marked`() throws {
        let directory = try directory()
        try commit(directory)
        let text = try directory.text("Stubs/Users.json")
        try directory.write(text.replacing("\"Ada <", with: "\"Anna <"), to: "Stubs/Users.json")
        let report = ["report", "Stubs", "--output", "report.html", "--against", "HEAD"]
        try #require(try Tool.run(report, in: directory.url).status == 0)
        let browser = try Browser()
        defer { browser.end() }
        try browser.open(directory.url.appendingPathComponent("report.html"))
        try browser.click("[data-change=changed] summary")
        #expect(try browser.text("[data-change=changed] .diff .changed td").contains("Ada <"))
        #expect(try browser.value("\(Self.marked)('old').join('|')") == "d")
        #expect(try browser.value("\(Self.marked)('new').join('|')") == "nn")
    }

    @Test(.enabled(if: Browser.driver != nil, "chromedriver is missing: apt-get install chromium chromium-driver"))
    func `only the open stubs near the window are elements, and a printed page has all that are open`() throws {
        let directory = try TemporaryDirectory()
        let stubs = (1...400).map { Recorded.stub("/items/\($0)", json: #"{"word":"w\#($0)-"}"#) }
        try directory.write(Recorded.file(stubs), to: "Many.json")
        try #require(try Tool.run(["report", "Many.json", "--output", "report.html"], in: directory.url).status == 0)
        let browser = try Browser()
        defer { browser.end() }
        let page = directory.url.appendingPathComponent("report.html").absoluteString
        let rendered = "document.querySelectorAll('.content').length"

        // A link to a stub opens it where it can be seen, and makes elements of no other.
        try browser.open(try #require(URL(string: "\(page)#file-1-stub-333")))
        #expect(try browser.text("#file-1-stub-333 pre").contains("w333-"))
        #expect(try browser.value(rendered) == "1")
        let top = try #require(
            Double(try browser.value("document.getElementById('file-1-stub-333').getBoundingClientRect().top"))
        )
        #expect((0...800).contains(top))
        #expect(try browser.text("#count") == "400 of 400 stubs")

        // A link on the page to another one works as well.
        _ = try browser.value("location.hash = '#file-1-stub-9'")
        #expect(try browser.text("#file-1-stub-9 pre").contains("w9-"))

        // The search finds what was never opened.
        _ = try browser.value("location.hash = '#search=w271-'")
        #expect(try browser.text("details:not([hidden]) .url") == "https://api.example.com/items/271")
        #expect(try browser.text("#count") == "1 of 400 stubs")
        _ = try browser.value("location.hash = '#method=GET'")

        _ = try browser.value("scrollTo(0, 0)")
        try browser.click("#open")
        #expect(try browser.text("#file-1-stub-1 pre").contains("w1-"))
        #expect(try browser.value("document.querySelectorAll('.stub[open]').length") == "400")
        #expect(try browser.value("document.querySelector('#file-1-stub-200 .content')") == "null")
        _ = try browser.value("dispatchEvent(new Event('beforeprint'))")
        #expect(try browser.value(rendered) == "400")
    }

    @Test(.enabled(if: Browser.driver != nil, "chromedriver is missing: apt-get install chromium chromium-driver"))
    func `the page runs no script but its own`() throws {
        let directory = try directory()
        try #require(try Tool.run(["report", "Stubs", "--output", "report.html"], in: directory.url).status == 0)
        let browser = try Browser()
        defer { browser.end() }
        try browser.open(directory.url.appendingPathComponent("report.html"))
        // The script of the page has run, and the script of an attribute does not.
        #expect(try browser.text("#count") == "3 of 3 stubs")
        let attack = "document.body.setAttribute('onclick', 'document.title = 1'), document.body.click()"
        #expect(try browser.value("(\(attack), document.title)") == "Recordings")
    }

    @Test func `the content policy names the script by its hash`() throws {
        let directory = try directory()
        try #require(try Tool.run(["report", "Stubs", "--output", "report.html"], in: directory.url).status == 0)
        let page = try directory.text("report.html")
        let script = try #require(page.firstMatch(of: /(?s)<script>(.*?)<\/script>/)).1
        let env = URL(fileURLWithPath: "/usr/bin/env")
        let input = Data(script.utf8)
        let sum = try Tool.run(env, ["shasum", "-a", "256", "-b", "-"], in: directory.url, input: input).output
        let digits = Array(sum.prefix(64))
        let bytes = stride(from: 0, to: digits.count - 1, by: 2).compactMap {
            UInt8(String(digits[$0...$0 + 1]), radix: 16)
        }
        let hash = Data(bytes).base64EncodedString()
        #expect(page.contains("script-src 'sha256-\(hash)'"), "Write sha256-\(hash) into Page/page.mustache.")
    }

    @Test func `a browser that runs no scripts finds the details in the page`() throws {
        let directory = try directory()
        try #require(try Tool.run(["report", "Stubs", "--output", "report.html"], in: directory.url).status == 0)
        let page = try directory.text("report.html")
        #expect(page.components(separatedBy: "</summary><noscript><div class=\"content\">").count == 4)
    }

    @Test(.enabled(if: Browser.driver != nil, "chromedriver is missing: apt-get install chromium chromium-driver"))
    func `the search finds nothing in the buttons, which copy`() throws {
        let directory = try directory()
        try #require(try Tool.run(["report", "Stubs", "--output", "report.html"], in: directory.url).status == 0)
        let browser = try Browser()
        defer { browser.end() }
        let page = directory.url.appendingPathComponent("report.html").absoluteString
        try browser.open(try #require(URL(string: "\(page)#search=copy")))
        #expect(try browser.text("#count") == "0 of 3 stubs")
        try browser.open(try #require(URL(string: "\(page)?2#method=POST")))
        try browser.click("#open")
        try browser.click("details:not([hidden]) [data-copy=url]")
        let label = "document.querySelector('details:not([hidden]) [data-copy=url]').dataset.label"
        var text = "Copy URL"
        for _ in 0..<100 where text == "Copy URL" { text = try browser.value(label) }
        #expect(text == "Copied")
    }

    @Test func `the meaning of an error is next to its number`() throws {
        let directory = try TemporaryDirectory()
        let url = #""request" : { "method" : "GET", "url" : "https://api.example.com/" }"#
        try directory.write(
            #"[ { "error" : { "domain" : "NSURLErrorDomain", "code" : -1009 }, \#(url) } ]"#,
            to: "A.json"
        )
        #expect(try Tool.run(["report", "A.json", "--output", "report.html"], in: directory.url).status == 0)
        #expect(try directory.text("report.html").contains("NSURLErrorDomain -1009 (notConnectedToInternet)"))
    }
}
