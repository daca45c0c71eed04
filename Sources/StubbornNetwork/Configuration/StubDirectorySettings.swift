import Foundation

/// The settings of a stub directory, which its networks share: the file `.stubborn.json`.
///
/// The lists are added to the lists from code. The body encoding applies if code sets none.
package struct StubDirectorySettings: Sendable {
    static let fileName = ".stubborn.json"

    /// The file that the settings were read from; `nil` when there is none.
    package private(set) var file: URL?
    package private(set) var bodyEncoding: BodyEncoding?
    private var lists: [List: [String]] = [:]

    /// The lists, by the path of their key.
    package enum List: String, CaseIterable {
        case ignoredFields = "matching.ignoredFields"
        case ignoredHeaders = "matching.ignoredHeaders"
        case ignoredJSONKeys = "matching.ignoredJSONKeys"
        case ignoredPathParameters = "matching.ignoredPathParameters"
        case ignoredQueryItems = "matching.ignoredQueryItems"
        case placeholders = "matching.placeholders"
        case redactedHeaders = "redaction.headers"
        case redactedJSONKeys = "redaction.jsonKeys"
        case redactedQueryItems = "redaction.queryItems"
        case redactedFormFields = "redaction.formFields"
        case redactedVariables = "redaction.environment"
        case excludedRules = "redaction.excluded"
        case excludedHosts = "recording.excludedHosts"
        case excludedStatusCodes = "recording.excludedStatusCodes"
        case volatileHeaders
        case volatileJSONKeys
        case allowedSecrets = "allowed.secret"
        case allowedErrors = "allowed.recorded-error"
        case allowedLargeBodies = "allowed.large-body"
        case allowedOldRecordings = "allowed.old-recording"
        case allowedUnusedFiles = "allowed.unused-file"
        case allowedUnusedStubs = "allowed.unused-stub"
        case allowedContractBreaches = "allowed.openapi"
        case allowedContractRemarks = "allowed.openapi-remark"
        case allowedUndocumentedParts = "allowed.openapi-undocumented"
    }

    /// Returns the strings of a list; none if the file does not contain the list.
    package subscript(list: List) -> [String] { lists[list] ?? [] }

    init() {}

    /// Reads the nearest settings file in a stub directory, or above it up to the root of its package or repository.
    init(for directory: URL, isRuleName: (String) -> Bool) throws(StubbornNetworkError) {
        guard let file = Self.nearestFile(from: directory.standardizedFileURL.path) else { return }
        do {
            self = try JSONDecoder().decode(Self.self, from: Data(contentsOf: URL(fileURLWithPath: file)))
        } catch {
            throw .settingsFile(file, (error as? DecodingError)?.problem ?? error.localizedDescription)
        }
        if let name = self[.excludedRules].first(where: { !isRuleName($0) }) {
            throw .settingsFile(file, "\(List.excludedRules.rawValue): \(name.quoted()) is not the name of a rule")
        }
        self.file = URL(fileURLWithPath: file)
    }

    private static func nearestFile(from directory: String) -> String? {
        let directories = FileSystem.directories(from: directory)
        let root = directories.firstIndex { directory in
            FileSystem.exists("\(directory)/Package.swift") || FileSystem.exists("\(directory)/.git")
        }
        return directories[...(root ?? 0)].map { "\($0)/\(fileName)" }.first(where: FileSystem.exists)
    }

    /// Returns the path of a file relative to its repository, or else to its package; `nil` for a file that is in neither.
    package static func pathInPackage(of file: String) -> String? {
        let directories = FileSystem.directories(from: FileSystem.directory(of: file))
        let root =
            directories.first { FileSystem.exists("\($0)/.git") }
            ?? directories.first { FileSystem.exists("\($0)/Package.swift") }
        return root.map { String(file.dropFirst($0 == "/" ? 1 : $0.count + 1)) }
    }
}

extension StubDirectorySettings: Decodable {
    private static let encodingKey = "bodyEncoding"
    private static let objectKeys: Set = ["allowed", "matching", "recording", "redaction"]

    private struct Key: CodingKey {
        let stringValue: String
        var intValue: Int? { nil }

        init(stringValue: String) { self.stringValue = stringValue }
        init?(intValue: Int) { nil }
    }

    package init(from decoder: any Decoder) throws { try read(decoder.container(keyedBy: Key.self)) }

    private mutating func read(_ object: KeyedDecodingContainer<Key>) throws {
        for key in object.allKeys {
            func fault(_ problem: String) -> DecodingError {
                .dataCorruptedError(forKey: key, in: object, debugDescription: problem)
            }
            let path = (object.codingPath + [key]).map(\.stringValue).joined(separator: ".")
            switch List(rawValue: path) {
            case .excludedStatusCodes?:
                let codes = try object.decode([Int].self, forKey: key)
                guard codes.allSatisfy((100...999).contains) else { throw fault("a status code has three digits") }
                lists[.excludedStatusCodes] = codes.map(String.init)
            case let list?: lists[list] = try object.decode([String].self, forKey: key)
            case nil where path == Self.encodingKey:
                bodyEncoding = BodyEncoding(rawValue: try object.decode(String.self, forKey: key))
                let all = BodyEncoding.allCases.map { $0.rawValue.quoted() }.joined(separator: " or ")
                if bodyEncoding == nil { throw fault("must be \(all)") }
            case nil where Self.objectKeys.contains(path):
                try read(object.nestedContainer(keyedBy: Key.self, forKey: key))
            case nil:
                let known = [Self.encodingKey] + Self.objectKeys.sorted() + List.allCases.map(\.rawValue)
                throw fault("unknown key; the keys are \(known.joined(separator: ", "))")
            }
        }
    }
}

extension DecodingError {
    /// The key path at which the file is invalid, and the reason, with the line if Foundation provides it.
    fileprivate var problem: String {
        guard let context else { return localizedDescription }
        let path = context.codingPath.map { $0.intValue.map { "[\($0)]" } ?? ".\($0.stringValue)" }.joined().dropFirst()
        // `NSDebugDescriptionErrorKey`, which is newer than the oldest macOS here.
        let cause = (context.underlyingError as NSError?)?.userInfo["NSDebugDescription"] as? String
        let text = cause ?? context.debugDescription
        return "\(path)\(path.isEmpty ? "" : ": ")\(text.hasSuffix(".") ? String(text.dropLast()) : text)"
    }

    private var context: Context? {
        switch self {
        case .typeMismatch(_, let context), .valueNotFound(_, let context), .keyNotFound(_, let context),
            .dataCorrupted(let context):
            context
        @unknown default: nil
        }
    }
}
