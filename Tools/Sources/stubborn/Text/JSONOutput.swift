import ArgumentParser
import Foundation

/// The output of a command for programs: one JSON object, with the version of its format.
///
///     { "command" : "list", "files" : [ … ], "version" : 1 }
///
/// A later release may add members. A release that removes a member, or changes its meaning, raises the version.
enum JSONOutput {
    static let version = 1

    /// Returns the object of a command.
    ///
    /// - Parameters:
    ///   - command: The name of the command.
    ///   - content: The other members, as an object.
    /// - Returns: The JSON, with sorted keys.
    /// - Throws: The error of encoding the content.
    static func text(of command: String, _ content: some Encodable) throws -> String {
        try text(of: Envelope(command: command, content: content))
    }

    /// Returns a value as JSON, with sorted keys.
    static func text(of value: some Encodable) throws -> String {
        let encoder = JSONEncoder()
        encoder.dateEncodingStrategy = .iso8601
        encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
        return String(decoding: try encoder.encode(value), as: UTF8.self)
    }

    private struct Envelope<Content: Encodable>: Encodable {
        let command: String
        let content: Content

        private enum Key: String, CodingKey {
            case version, command
        }

        func encode(to encoder: any Encoder) throws {
            var object = encoder.container(keyedBy: Key.self)
            try object.encode(JSONOutput.version, forKey: .version)
            try object.encode(command, forKey: .command)
            try content.encode(to: encoder)
        }
    }
}

/// The formats of the commands that print for people or for programs.
enum OutputFormat: String, CaseIterable, ExpressibleByArgument {
    case text, json
}
