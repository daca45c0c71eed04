import Foundation

extension RequestMatcherOptions {
    /// Returns a number that is equal for requests that the matchers treat as equal.
    ///
    /// It is the same in every process, so that a journal can hold it. Matchers in code are left out. If there are no other
    /// matchers, method, host and path decide.
    func key(of request: StubRequest) -> UInt64 {
        let named = matchers.filter { !$0.isCustom }
        let matchers = named.isEmpty && !matchers.isEmpty ? Self.lenient.matchers : named
        let parsed = ParsedRequest(request)
        var checksum = Checksum()
        func add(_ text: String) {
            text.withBytes { checksum.add($0) }
            // A byte that is in no UTF-8 text.
            checksum.add(0xFF)
        }
        func add(_ bytes: BodyBytes) {
            bytes.data.withBytes { checksum.add($0) }
            add(String(bytes.data.count))
        }
        // No matcher takes a value of a test for a request.
        if request.valueName != nil {
            add(request.method)
            add(request.url.absoluteString)
            return checksum.value
        }
        for matcher in matchers {
            switch matcher.part(of: parsed) {
            case .method(let text), .host(let text), .path(let text): add(text)
            case .url(let url): add(url.text)
            case .query(let items): add(items.queryText)
            case .headers(let fields): for name in fields.keys.sorted() { add("\(name):\(fields[name] ?? "")") }
            case .body(.none): add("")
            case .body(.json(let value)): add(value.text(upTo: .max))
            case .body(.form(let items)): add(items.queryText)
            case .body(.multipart(let parts)):
                for part in parts {
                    add(part.head)
                    add(part.content)
                }
            case .body(.bytes(let bytes)): add(bytes)
            case nil: break
            }
        }
        return checksum.value
    }
}
