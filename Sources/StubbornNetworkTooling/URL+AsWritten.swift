import Foundation
import StubbornNetwork

extension URL {
    /// Creates a URL from the output of a different program, and encodes only the characters that are not allowed in a
    /// URL.
    ///
    /// If one character is invalid, `URL(string:)` encodes the whole path or query again, with each `%` in it:
    /// `?filter[name]=a%20b` becomes `?filter%5Bname%5D=a%2520b` there, and `?filter%5Bname%5D=a%20b` here.
    @_spi(Tools) public init?(asWritten text: String) { self.init(encodingOnlyInvalid: text) }
}
