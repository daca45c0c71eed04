import Foundation
@_spi(Tools) import StubbornNetwork
@_spi(Tools) import StubbornNetworkTooling

/// The differences between two recordings of the same tests that were made one after the other.
///
/// The server has not changed in between, so a number that differs is noise: a duration, a counter, a gauge.
struct RecordingNoise {
    /// A header field or a JSON member whose value differs, for a list of `.stubborn.json`.
    struct Value: Encodable {
        enum List: String, Encodable { case volatileHeaders, volatileJSONKeys }

        let list: List
        let name: String
        /// The number of times that it differs, and the values of the first difference.
        var count: Int
        let values: [String]
    }

    /// The values that differ, by the settings file of their stubs, which need not exist.
    private(set) var values: [URL: [Value]] = [:]
    /// The differences that are not noise, as text: a different status, a word, a request that is in only one
    /// recording.
    private(set) var others: [String] = []
    /// The number of files that were recorded, and the number of stubs in the two recordings.
    private(set) var fileCount = 0
    private(set) var stubCounts = [0, 0]
    /// A Boolean value that indicates whether a server has answered any request.
    private(set) var hasAnswer = false

    /// Compares the stub files in two directories of copies; each copy is at its full path below the directory.
    init(_ first: URL, _ second: URL) throws {
        let paths = try [first, second].map(Self.stubFiles)
        for path in paths[0].union(paths[1]).sorted() {
            let files = try [first, second].map { directory in
                let file = directory.appendingPathComponent(path)
                return FileManager.default.fileExists(atPath: file.path)
                    ? try StubFile(contentsOf: file) : StubFile(at: file)
            }
            try compare(files[0], files[1], of: URL(fileURLWithPath: "/" + path))
        }
    }

    private static func stubFiles(in directory: URL) throws -> Set<String> {
        guard FileManager.default.fileExists(atPath: directory.path) else { return [] }
        return Set(
            try FileManager.default.subpathsOfDirectory(atPath: directory.path).filter { path in
                let name = (path as NSString).lastPathComponent
                return name.hasSuffix(".json") && !name.hasPrefix(".")
            }
        )
    }

    private mutating func compare(_ old: StubFile, _ new: StubFile, of file: URL) throws {
        fileCount += 1
        stubCounts[0] += old.stubs.count
        stubCounts[1] += new.stubs.count
        if (old.stubs + new.stubs).contains(where: { $0.response.head != nil }) { hasAnswer = true }
        let directory = file.deletingLastPathComponent()
        let rules = try StubDirectoryRules(for: directory)
        let settings = rules.file ?? directory.appendingPathComponent(".stubborn.json")
        var comparison = rules.comparison(old.stubs, new.stubs)
        let partners = comparison.partners()
        let gone = Set(old.stubs.indices).subtracting(partners.compactMap(\.self)).sorted()
        others += gone.map { "\(old.stubs[$0].request): only in the first recording" }
        for (index, partner) in partners.enumerated() {
            let request = new.stubs[index].request
            guard let partner else {
                others.append("\(request): only in the second recording")
                continue
            }
            for difference in comparison.differences(partner, index) where difference.severity != .volatile {
                if let value = Value(difference) {
                    note(value, in: settings)
                } else {
                    others.append("\(request): \(difference.part): \(difference.texts.joined(separator: ", then "))")
                }
            }
        }
    }

    private mutating func note(_ value: Value, in settings: URL) {
        var known = values[settings, default: []]
        if let index = known.firstIndex(where: { $0.list == value.list && $0.name == value.name }) {
            known[index].count += 1
        } else {
            known.append(value)
        }
        values[settings] = known
    }

    /// Returns the settings file with the names of the values that differ.
    func settings(at file: URL) throws -> Data {
        var object: [String: Any] = [:]
        if let text = try? Data(contentsOf: file) {
            object = try JSONSerialization.jsonObject(with: text) as? [String: Any] ?? [:]
        }
        for value in values[file] ?? [] {
            var names = object[value.list.rawValue] as? [String] ?? []
            if !names.contains(value.name) { names.append(value.name) }
            object[value.list.rawValue] = names
        }
        return try JSONSerialization.data(
            withJSONObject: object,
            options: [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
        ) + Data("\n".utf8)
    }
}

extension RecordingNoise.Value {
    /// Creates the value of a difference; `nil` for a difference that is not noise.
    fileprivate init?(_ difference: VerificationReport.Difference) {
        guard difference.severity == .values, difference.texts.allSatisfy(Self.isMeasured) else { return nil }
        // A place in a list is not part of a key path: `body.results[0].duration` is `results.duration`.
        let part = difference.part.replacingOccurrences(of: "\\[[0-9]+\\]", with: "", options: .regularExpression)
        let (start, list): (String, List) =
            part.hasPrefix("headers.") ? ("headers.", .volatileHeaders) : ("body.", .volatileJSONKeys)
        guard part.hasPrefix(start) else { return nil }
        let name = String(part.dropFirst(start.count))
        self.init(list: list, name: name, count: 1, values: difference.texts)
    }

    /// Returns a Boolean value that indicates whether a value may be measured: `12`, `"PT0.04S"`; not `true`, `"open"`, `none`
    /// and `3 elements`.
    private static func isMeasured(_ text: String) -> Bool {
        text.contains(where: \.isNumber) && !text.hasSuffix(" element") && !text.hasSuffix(" elements")
    }
}

extension VerificationReport.Difference {
    /// The two values.
    fileprivate var texts: [String] { [recorded ?? "none", received ?? "none"] }
}
