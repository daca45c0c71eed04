import Foundation

extension URLError {
    /// The error of a code, or `nil` for a code that this platform does not know.
    ///
    /// On Linux an `NSError` of this domain is no `URLError`, so one that was stored as domain and code has to be made
    /// anew; and there the code's initializer can fail.
    init?(code: Int, userInfo: [String: Any]) {
        #if canImport(FoundationNetworking)
            guard let code = URLError.Code(rawValue: code) else { return nil }
        #else
            let code = URLError.Code(rawValue: code)
        #endif
        self.init(code, userInfo: userInfo)
    }
}
