import Foundation

/// The properties of requests, which Foundation on Linux loses when a request is copied.
///
/// A request here has one at most. It is kept in a value that copies keep, and that nothing else uses.
extension URLProtocol {
    static func property(forKey key: String, in request: URLRequest) -> Any? {
        request.mainDocumentURL.flatMap { $0.scheme == "property" && $0.host == key ? $0.port : nil }
    }

    static func setProperty(_ value: Any, forKey key: String, in request: NSMutableURLRequest) {
        request.mainDocumentURL = URL(string: "property://\(key):\(value)")
    }
}
