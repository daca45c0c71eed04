import Foundation

/// The settings of a stub directory, which its networks share: the file `.stubborn.json`.
///
/// The lists are added to those that code sets. The body encoding applies where code sets none.
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

    private static let encodingKey = "bodyEncoding"
    private static let objectKeys: Set = ["allowed", "matching", "recording", "redaction"]

    /// Returns the texts of a list; none if the file does not have it.
    package subscript(list: List) -> [String] { lists[list] ?? [] }

    init() {}

    /// Reads the nearest settings file in a stub directory, or above it up to the root of its package or repository.
    init(for directory: URL, isRuleName: (String) -> Bool) throws(StubbornNetworkError) {
        guard let file = Self.nearestFile(from: directory.standardizedFileURL.path) else { return }
        let text: Data
        do {
            text = try Data(contentsOf: URL(fileURLWithPath: file))
        } catch {
            throw .settingsFile(file, error.localizedDescription)
        }
        let result = text.withBytes { bytes in
            Result { () throws(JSONSyntaxError) in try read(bytes, isRuleName) }
        }
        if case .failure(let error) = result {
            let line = text.prefix(error.offset).filter { $0 == .lineFeed }.count + 1
            let found = error.found.map { ", found \($0)" } ?? ""
            throw .settingsFile(file, "line \(line): expected \(error.expected)\(found)")
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

    private mutating func read(_ text: Bytes, _ isRuleName: (String) -> Bool) throws(JSONSyntaxError) {
        // The keys of the open objects, then the last key; and the offset of the last key.
        var path: [String] = []
        var (offset, isInList) = (0, false)
        var read: Set<String> = []
        let known = [Self.encodingKey] + Self.objectKeys.sorted() + List.allCases.map(\.rawValue)
        try JSONScanner.read(text) { content throws(JSONSyntaxError) in
            let key = path.joined(separator: ".")
            switch content {
            case .key(let name, let range):
                offset = range.lowerBound
                path = path.dropLast() + [name]
                let key = path.joined(separator: ".")
                guard known.contains(key) else {
                    let expected = "one of the keys \(known.joined(separator: ", "))"
                    throw JSONSyntaxError(at: offset, expected: expected, found: key.quoted())
                }
                guard read.insert(key).inserted else { throw .repeatedKey(name, at: offset) }
            case .open(.object) where path.isEmpty || Self.objectKeys.contains(key):
                path.append("")
            case .close(.object):
                path.removeLast()
            case .open(.array) where !isInList && List(rawValue: key) != nil:
                isInList = true
            case .close(.array):
                isInList = false
            case .number(let number, let range) where isInList && key == List.excludedStatusCodes.rawValue:
                guard let code = Int(number.normalized), 100...999 ~= code else {
                    throw Self.wrongType(key, at: range.lowerBound, found: number.normalized)
                }
                lists[.excludedStatusCodes, default: []].append(String(code))
            case .string(let value, let range):
                if isInList, let list = List(rawValue: key), list != .excludedStatusCodes {
                    guard list != .excludedRules || isRuleName(value) else {
                        throw .init(at: range.lowerBound, expected: "the name of a rule", found: value.quoted())
                    }
                    lists[list, default: []].append(value)
                } else if key == Self.encodingKey, let encoding = BodyEncoding(rawValue: value) {
                    bodyEncoding = encoding
                } else {
                    throw Self.wrongType(key, at: range.lowerBound, found: value.quoted())
                }
            default:
                throw Self.wrongType(key, at: offset)
            }
        }
    }

    private static func wrongType(_ key: String, at offset: Int, found: String? = nil) -> JSONSyntaxError {
        let expected =
            switch key {
            case "": "an object with settings"
            case encodingKey:
                BodyEncoding.allCases.map { $0.rawValue.quoted() }.joined(separator: " or ") + " under \"\(key)\""
            case List.excludedStatusCodes.rawValue: "an array of status codes under \"\(key)\""
            case _ where objectKeys.contains(key): "an object under \"\(key)\""
            default: "an array of texts under \"\(key)\""
            }
        return JSONSyntaxError(at: offset, expected: expected, found: found)
    }
}
