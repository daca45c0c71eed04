import Foundation

extension URL {
    /// Whether a stub can answer requests for this URL: `http` or `https`, and a host.
    var isAnswerable: Bool {
        switch scheme?.lowercased() {
        case "http", "https": host?.isEmpty == false
        default: false
        }
    }
}
