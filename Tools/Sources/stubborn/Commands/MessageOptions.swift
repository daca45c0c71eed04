import Foundation
import StubbornNetwork

extension HeaderFields {
    /// Creates the fields that `--header 'Name: value'` gives, once for each.
    init(options: [String]) throws {
        self.init(
            try options.map { field in
                guard let colon = field.firstIndex(of: ":") else {
                    throw ToolError("--header \"\(field)\" has no colon. Write it as 'Name: value'.")
                }
                let value = field[field.index(after: colon)...].trimmingCharacters(in: .whitespaces)
                return Field(name: String(field[..<colon]), value: value)
            }
        )
    }
}

extension Data {
    /// Creates the body that `--body` gives: a string, or the content of a file (`@answer.json`).
    init(bodyOption text: String) throws {
        guard text.hasPrefix("@") else {
            self.init(text.utf8)
            return
        }
        self = try ToolError.contents(of: String(text.dropFirst()), named: "The file of --body \(text)")
    }
}
