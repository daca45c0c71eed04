/// HTTP Archives in the shapes that different programs write, made from the specification of HAR 1.2 and the programs'
/// documentation.
enum Archive {
    static func of(_ entries: String...) -> String {
        #"{ "log": { "version": "1.2", "creator": { "name": "test", "version": "1" }, "entries": ["#
            + entries.joined(separator: ",\n") + "] } }"
    }

    /// Returns an archive with one request, which `Ada` answers.
    static func get(_ url: String) -> String {
        of(
            """
            { "request": { "method": "GET", "url": "\(url)" },
              "response": { "status": 200, "content": { "mimeType": "text/plain", "text": "Ada" } } }
            """
        )
    }

    /// Pseudo header fields, keys with `_`, a cookie field with a line feed, WebSockets, `data:` and `chrome-extension:`
    /// URLs, an error of the network and one of the browser.
    static let chrome = of(
        """
        { "_initiator": { "type": "script", "stack": { "callFrames": [] } }, "_priority": "High", "_resourceType": "fetch",
          "_connectionId": "4711", "cache": {}, "connection": "443", "pageref": "page_1",
          "request": { "method": "GET", "url": "https://api.example.com/users/42?lang=de#top", "httpVersion": "http/2.0",
            "headers": [ { "name": ":authority", "value": "api.example.com" }, { "name": ":method", "value": "GET" },
              { "name": "accept", "value": "*/*" },
              { "name": "authorization", "value": "Bearer c2VjcmV0c2VjcmV0c2VjcmV0" } ],
            "queryString": [ { "name": "lang", "value": "de" } ], "cookies": [], "headersSize": -1, "bodySize": 0 },
          "response": { "status": 200, "statusText": "", "httpVersion": "http/2.0",
            "headers": [ { "name": "content-type", "value": "application/json" }, { "name": "content-encoding", "value": "br" } ],
            "cookies": [], "content": { "size": 15, "mimeType": "application/json", "text": "{\\"name\\":\\"Zoë\\"}" },
            "redirectURL": "", "headersSize": -1, "bodySize": -1, "_transferSize": 120, "_error": null,
            "_fetchedViaServiceWorker": false },
          "serverIPAddress": "203.0.113.1", "startedDateTime": "2026-11-21T10:00:00.001Z", "time": 41.2,
          "timings": { "blocked": 1.5, "dns": -1, "ssl": -1, "connect": -1, "send": 0.1, "wait": 39.1, "receive": 0.5,
            "_blocked_queueing": 1.1 } }
        """,
        """
        { "request": { "method": "POST", "url": "https://api.example.com/login", "httpVersion": "http/2.0",
            "headers": [ { "name": "content-type", "value": "application/x-www-form-urlencoded" } ], "queryString": [],
            "cookies": [], "headersSize": -1, "bodySize": 30,
            "postData": { "mimeType": "application/x-www-form-urlencoded", "text": "user=ada&password=wonderland-17-x",
              "params": [ { "name": "user", "value": "ada" }, { "name": "password", "value": "wonderland-17-x" } ] } },
          "response": { "status": 302, "statusText": "", "httpVersion": "http/2.0",
            "headers": [ { "name": "location", "value": "/home" },
              { "name": "set-cookie", "value": "theme=dark; path=/\\nlang=de; path=/" } ],
            "cookies": [], "content": { "size": 0, "mimeType": "x-unknown" }, "redirectURL": "/home", "headersSize": -1,
            "bodySize": -1, "_transferSize": 100, "_error": null },
          "startedDateTime": "2026-11-21T10:00:01.000Z", "time": 10, "timings": { "send": 0, "wait": 10, "receive": 0 } }
        """,
        """
        { "request": { "method": "GET", "url": "https://api.example.com/logo.png", "httpVersion": "http/2.0", "headers": [],
            "queryString": [], "cookies": [], "headersSize": -1, "bodySize": 0 },
          "response": { "status": 200, "statusText": "", "httpVersion": "http/2.0", "headers": [], "cookies": [],
            "content": { "size": 3, "mimeType": "image/png", "text": "UE5H", "encoding": "base64" }, "redirectURL": "",
            "headersSize": -1, "bodySize": 0, "_transferSize": 0 }, "_fromCache": "memory",
          "startedDateTime": "2026-11-21T10:00:02.000Z", "time": 0, "timings": { "send": 0, "wait": 0, "receive": 0 } }
        """,
        """
        { "request": { "method": "GET", "url": "https://api.example.com/slow", "httpVersion": "", "headers": [],
            "queryString": [], "cookies": [], "headersSize": -1, "bodySize": 0 },
          "response": { "status": 0, "statusText": "", "httpVersion": "", "headers": [], "cookies": [],
            "content": { "size": 0, "mimeType": "x-unknown" }, "redirectURL": "", "headersSize": -1, "bodySize": -1,
            "_transferSize": 0, "_error": "net::ERR_CONNECTION_TIMED_OUT" },
          "startedDateTime": "2026-11-21T10:00:03.000Z", "time": 9 }
        """,
        """
        { "request": { "method": "GET", "url": "https://ads.example.com/", "headers": [] },
          "response": { "status": 0, "headers": [], "content": { "size": 0 }, "_error": "net::ERR_BLOCKED_BY_CLIENT" },
          "startedDateTime": "2026-11-21T10:00:04.000Z" }
        """,
        """
        { "_resourceType": "websocket", "_webSocketMessages": [ { "type": "send", "data": "hi" } ],
          "request": { "method": "GET", "url": "https://api.example.com/socket", "headers": [] },
          "response": { "status": 101, "statusText": "Switching Protocols", "headers": [], "content": { "size": 0 } },
          "startedDateTime": "2026-11-21T10:00:05.000Z" }
        """,
        """
        { "request": { "method": "GET", "url": "data:image/gif;base64,R0lGODlhAQABAAAAACw=", "headers": [] },
          "response": { "status": 200, "headers": [], "content": { "size": 43, "mimeType": "image/gif" } },
          "startedDateTime": "2026-11-21T10:00:06.000Z" }
        """,
        """
        { "request": { "method": "GET", "url": "chrome-extension://abcdef/script.js", "headers": [] },
          "response": { "status": 200, "headers": [], "content": { "size": 1, "mimeType": "text/javascript", "text": "1" } },
          "startedDateTime": "2026-11-21T10:00:07.000Z" }
        """
    )

    /// A form in parameters alone, a time zone, and a response whose body was not kept.
    static let firefox = of(
        """
        { "startedDateTime": "2026-11-21T12:00:00.000+02:00",
          "request": { "bodySize": 20, "method": "POST", "url": "https://api.example.com/search", "httpVersion": "HTTP/2",
            "headers": [ { "name": "Content-Type", "value": "application/x-www-form-urlencoded" } ], "cookies": [],
            "queryString": [], "headersSize": 400,
            "postData": { "mimeType": "application/x-www-form-urlencoded", "text": "",
              "params": [ { "name": "q", "value": "a b&c" }, { "name": "page", "value": "1" } ] } },
          "response": { "status": 200, "statusText": "OK", "httpVersion": "HTTP/2",
            "headers": [ { "name": "Content-Type", "value": "text/plain" } ], "cookies": [],
            "content": { "mimeType": "text/plain", "size": 2, "text": "ok" }, "redirectURL": "", "headersSize": 300,
            "bodySize": 2 },
          "cache": {}, "timings": { "blocked": 0, "dns": 0, "connect": 0, "ssl": 0, "send": 0, "wait": 12, "receive": 0 },
          "time": 12, "_securityState": "secure", "serverIPAddress": "203.0.113.1", "connection": "443" }
        """,
        """
        { "startedDateTime": "2026-11-21T12:00:01.000+02:00",
          "request": { "method": "GET", "url": "https://api.example.com/image", "headers": [] },
          "response": { "status": 200, "headers": [], "content": { "mimeType": "image/jpeg", "size": 52000,
            "comment": "Response bodies are not included." } } }
        """
    )

    /// A content type that only the content has, and a fetch type.
    static let safari = of(
        """
        { "pageref": "page_0", "startedDateTime": "2026-11-21T10:00:00.000Z", "time": 5.0000001,
          "request": { "method": "GET", "url": "https://api.example.com/page", "httpVersion": "", "cookies": [],
            "headers": [ { "name": "Accept", "value": "text/html" } ], "queryString": [], "headersSize": 100, "bodySize": 0 },
          "response": { "status": 200, "statusText": "OK", "httpVersion": "HTTP/1.1", "cookies": [], "headers": [],
            "content": { "size": 9, "compression": 0, "mimeType": "text/html", "text": "<p>é</p>" }, "redirectURL": "",
            "headersSize": 0, "bodySize": 0, "_transferSize": 109 },
          "cache": {}, "timings": { "blocked": -1, "dns": -1, "connect": -1, "ssl": -1, "send": 0, "wait": 4, "receive": 1 },
          "serverIPAddress": "203.0.113.1", "_serverPort": 443, "connection": "7", "_fetchType": "Network Load",
          "_priority": "high" }
        """
    )

    /// A byte-order mark, numbers as texts, a character set other than UTF-8, and base64 with line breaks.
    static let charles =
        "\u{FEFF}"
        + of(
            """
            { "startedDateTime": "2026-11-21T10:00:00.000+00:00", "time": "12", "comment": "",
              "request": { "method": "GET", "url": "https://api.example.com/latin", "httpVersion": "HTTP/1.1", "cookies": [],
                "headers": [ { "name": "Host", "value": "api.example.com" } ], "queryString": [], "headersSize": 60,
                "bodySize": "0" },
              "response": { "_charlesStatus": "COMPLETE", "status": "200", "statusText": "OK", "httpVersion": "HTTP/1.1",
                "cookies": [], "headers": [ { "name": "Content-Type", "value": "text/plain; charset=ISO-8859-1" } ],
                "content": { "size": 4, "mimeType": "text/plain; charset=ISO-8859-1", "text": "café" }, "redirectURL": null,
                "headersSize": 0, "bodySize": 4 },
              "serverIPAddress": "203.0.113.1", "cache": {}, "timings": { "dns": -1, "connect": -1, "ssl": -1, "send": 1,
                "wait": 10, "receive": 1 } }
            """
        )

    /// Microseconds, a compressed body in base64, a request body in base64, and no `queryString`.
    static let mitmproxy = of(
        """
        { "startedDateTime": "2026-11-21T10:00:00.123456+00:00", "time": 5.2,
          "request": { "method": "PUT", "url": "https://api.example.com/items/1", "httpVersion": "HTTP/1.1", "cookies": [],
            "headers": [ { "name": "Content-Type", "value": "application/octet-stream" } ], "headersSize": 50, "bodySize": 3,
            "postData": { "mimeType": "application/octet-stream", "text": "/wAB", "encoding": "base64", "params": [] } },
          "response": { "status": 204, "statusText": "No Content", "httpVersion": "HTTP/1.1", "cookies": [], "headers": [],
            "content": { "size": 0, "compression": 0, "mimeType": "" }, "redirectURL": "", "headersSize": 20, "bodySize": 0 },
          "cache": {}, "timings": { "connect": 1, "ssl": 2, "send": 1, "receive": 1, "wait": 1 },
          "serverIPAddress": "203.0.113.1" }
        """,
        """
        { "startedDateTime": "2026-11-21T10:00:01.123456+00:00", "time": 5.2,
          "request": { "method": "GET", "url": "https://api.example.com/items", "httpVersion": "HTTP/1.1", "headers": [] },
          "response": { "status": 200, "statusText": "OK", "httpVersion": "HTTP/1.1", "cookies": [],
            "headers": [ { "name": "Content-Encoding", "value": "gzip" }, { "name": "Content-Type", "value": "application/json" } ],
            "content": { "size": 2, "compression": -20, "mimeType": "application/json",
              "text": "H4sIAAAAAAACA4uOBQApu0wNAgAAAA==", "encoding": "base64" }, "redirectURL": "", "headersSize": 20,
            "bodySize": 22 } }
        """
    )
}
