import Foundation
import StubbornNetwork
@_spi(Tools) import StubbornNetworkTooling

/// A change of a stub's response: one value, or the same member of all elements of a list.
struct ResponseChange: Hashable, Sendable {
    enum Kind: String, Sendable {
        /// A number, a string or a Boolean value becomes a different one that looks like it.
        case value
        /// A number becomes twice as large, or a sentence becomes a different one, so that even a comparison with a
        /// tolerance notices the change.
        case far
        /// A list is in the opposite order.
        case order
        /// A list has no elements.
        case empty
        /// A list has only its first element.
        case first
        /// A member of an object is missing.
        case missing
        /// A member that a test checks is missing, so that the client uses its default.
        case absent
        /// The status code of a success becomes that of a failure, or the reverse.
        case status
        /// A failure becomes a different failure: the status code, or the error.
        case failure
        /// The value of a header field changes.
        case field
        /// A body that is not JSON is empty.
        case body
    }

    /// The path of the stub file.
    let file: String
    /// The position of the stub in its file, from 1.
    let stub: Int
    /// The keys that lead to the value, `[]` for each element of a list; none for the whole response.
    let path: [String]
    let kind: Kind

    /// The key that stands for each element of a list.
    static let element = "[]"

    /// Returns the status code that replaces another one: a failure for a success.
    static func status(otherThan code: Int) -> Int { code < 400 ? 500 : 200 }

    /// Returns a different status code of a failure: a server error for a client error, and the reverse.
    static func failure(otherThan code: Int) -> Int { code < 500 ? 500 : 404 }

    /// Returns a different code for an error: in the domain of `URLError`, no connection, or else a timeout.
    static func error(otherThan code: Int) -> Int {
        code == URLError.Code.notConnectedToInternet.rawValue
            ? URLError.Code.timedOut.rawValue : URLError.Code.notConnectedToInternet.rawValue
    }

    /// The keys that lead to a header field.
    static func path(ofField name: String) -> [String] { ["header field \(name.lowercased())"] }

    /// Returns a key path as text: `users[].name`.
    static func keyPath(_ path: [String]) -> String {
        path.reduce(into: "") { text, key in
            let isPlain = key.allSatisfy { $0.isLetter || $0.isNumber || $0 == "_" || $0 == "-" || $0 == "$" }
            if key == element {
                text += key
            } else if isPlain, !key.isEmpty {
                text += text.isEmpty ? key : ".\(key)"
            } else {
                text += "[\(JSONText.text(of: key))]"
            }
        }
    }
}
