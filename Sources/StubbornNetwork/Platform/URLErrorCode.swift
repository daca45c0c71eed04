import Foundation

extension URLError {
    /// Creates the error for a code; `nil` for a code that this platform does not have.
    ///
    /// On Linux an `NSError` of this domain is not a `URLError`, so that an error which was stored as domain and code
    /// has to be created again. The initializer of the code can fail there.
    init?(code: Int, userInfo: [String: Any]) {
        guard let code = URLError.Code(rawValue: code) as URLError.Code? else { return nil }
        self.init(code, userInfo: userInfo)
    }
}
