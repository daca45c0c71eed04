import Foundation

/// The settings of a stub directory, which its networks share: the file `.stubborn.json`.
///
///     {
///       "bodyEncoding" : "readable",
///       "matching" : { "ignoredHeaders" : [], "ignoredJSONKeys" : [ "sentAt" ], "ignoredQueryItems" : [ "page_token" ] },
///       "redaction" : { "headers" : [ "X-Session" ], "environment" : [ "API_KEY" ], "excluded" : [] },
///       "volatileHeaders" : [ "X-Request-Id" ]
///     }
///
/// All keys are optional. The lists are added to what code says; the body encoding holds where code names none.
struct StubDirectorySettings: Sendable {
    static let fileName = ".stubborn.json"

    /// The file that the settings were read from; `nil` when there is none.
    private(set) var file: URL?

    private(set) var bodyEncoding: BodyEncoding?

    /// The texts under each key of a list.
    private var lists: [List: [String]] = [:]

    /// The lists, by the path of their key.
    enum List: String, CaseIterable {
        case ignoredHeaders = "matching.ignoredHeaders"
        case ignoredJSONKeys = "matching.ignoredJSONKeys"
        case ignoredQueryItems = "matching.ignoredQueryItems"
        case redactedHeaders = "redaction.headers"
        case redactedJSONKeys = "redaction.jsonKeys"
        case redactedQueryItems = "redaction.queryItems"
        case redactedFormFields = "redaction.formFields"
        case redactedVariables = "redaction.environment"
        case excludedRules = "redaction.excluded"
        case volatileHeaders
    }

    private static let encodingKey = "bodyEncoding"
    private static let objectKeys: Set = ["matching", "redaction"]

    /// Returns the texts of a list; none where the file does not have it.
    subscript(list: List) -> [String] { lists[list] ?? [] }

    /// Creates settings that say nothing.
    init() {}

    /// Reads the settings for a stub directory: of the nearest file in it or in a directory above, up to the root of the
    /// package or repository.
    ///
    /// A directory that is in neither has its own file only.
    ///
    /// - Parameters:
    ///   - directory: the stub directory, which need not exist.
    ///   - isRuleName: returns whether a text under `excluded` names a rule.
    /// - Throws: `InvalidSetting` for a file that cannot be read, an unknown key or a value of the wrong type.
    init(for directory: URL, isRuleName: (String) -> Bool) throws(InvalidSetting) {
        guard let file = Self.nearestFile(from: directory.standardizedFileURL.path) else { return }
        let text: Data
        do {
            text = try Data(contentsOf: URL(fileURLWithPath: file))
        } catch {
            throw .settingsFile(file, error.localizedDescription)
        }
        let fault = text.withBytes { bytes -> String? in
            do throws(JSONSyntaxError) {
                try read(bytes, isRuleName)
                return nil
            } catch {
                let line = bytes.part(0..<error.offset).filter { $0 == .lineFeed }.count + 1
                return "line \(line): expected \(error.expected)" + (error.found.map { ", found \($0)" } ?? "")
            }
        }
        if let fault { throw .settingsFile(file, fault) }
        self.file = URL(fileURLWithPath: file)
    }

    private static func nearestFile(from directory: String) -> String? {
        var directory = directory
        var nearest: String?
        var isOwn = true
        while true {
            let file = "\(directory)/\(fileName)"
            if nearest == nil, FileSystem.exists(file) {
                if isOwn { return file }
                nearest = file
            }
            isOwn = false
            if FileSystem.exists("\(directory)/Package.swift") || FileSystem.exists("\(directory)/.git") {
                return nearest
            }
            guard directory != "/" else { return nil }
            directory = FileSystem.directory(of: directory)
        }
    }

    private mutating func read(_ text: Bytes, _ isRuleName: (String) -> Bool) throws(JSONSyntaxError) {
        // The keys of the open objects and the last key, and the offset of that.
        var path: [String] = []
        var offset = 0
        var isInList = false
        try JSONScanner.read(text) { content throws(JSONSyntaxError) in
            let key = path.joined(separator: ".")
            switch content {
            case .key(let name, let range):
                offset = range.lowerBound
                if !path.isEmpty { path.removeLast() }
                path.append(name)
                try Self.checkKey(path.joined(separator: "."), at: offset)
            case .open(.object) where path.isEmpty || Self.objectKeys.contains(key):
                path.append("")
            case .close(.object):
                path.removeLast()
            case .open(.array) where !isInList && List(rawValue: key) != nil:
                isInList = true
            case .close(.array):
                isInList = false
            case .string(let value, let range):
                if isInList, let list = List(rawValue: key) {
                    guard list != .excludedRules || isRuleName(value) else {
                        throw JSONSyntaxError(
                            at: range.lowerBound,
                            expected: "the name of a rule",
                            found: value.quoted()
                        )
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

    private static func checkKey(_ key: String, at offset: Int) throws(JSONSyntaxError) {
        let known = [encodingKey] + objectKeys.sorted() + List.allCases.map(\.rawValue)
        guard !known.contains(key) else { return }
        throw JSONSyntaxError(
            at: offset,
            expected: "one of the keys \(known.joined(separator: ", "))",
            found: key.quoted()
        )
    }

    private static func wrongType(_ key: String, at offset: Int, found: String? = nil) -> JSONSyntaxError {
        let expected =
            switch key {
            case "": "an object with settings"
            case encodingKey:
                BodyEncoding.allCases.map { $0.rawValue.quoted() }.joined(separator: " or ") + " under \"\(key)\""
            case _ where objectKeys.contains(key): "an object under \"\(key)\""
            default: "an array of texts under \"\(key)\""
            }
        return JSONSyntaxError(at: offset, expected: expected, found: found)
    }
}
