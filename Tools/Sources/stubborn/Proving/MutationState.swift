import Foundation
import StubbornNetwork
@_spi(Tools) import StubbornNetworkTooling

/// What an earlier call has found that ran out of time, so that the next one goes on there.
///
/// The file is in the directory `.build`, or in the temporary directory where there is none: never next to stub files.
struct MutationState: Codable {
    private struct File: Codable {
        /// The text of the stub file, by its length and a hash, with which the results are true.
        let text: String
        let results: [ResponseChange: Bool]
    }

    private var files: [String: File] = [:]
    private var noticed: Mutation.Noticed = .init()

    /// Returns the file of a command.
    static func file(of command: String) -> URL {
        let directory =
            ".build".isDirectory ? URL(fileURLWithPath: ".build") : FileManager.default.temporaryDirectory
        let key = digest(Data("\(Git.realPath("."))\n\(command)".utf8))
        return directory.appendingPathComponent("stubborn-mutate-\(key).json")
    }

    /// FNV-1a: the same in each process.
    private static func digest(_ data: Data) -> String {
        let hash = data.reduce(0xCBF2_9CE4_8422_2325 as UInt64) { ($0 ^ UInt64($1)) &* 0x100_0000_01B3 }
        return "\(data.count)-\(String(hash, radix: 16))"
    }

    private static func text(of path: String) -> String {
        digest((try? Data(contentsOf: URL(fileURLWithPath: path))) ?? Data())
    }

    init(_ mutation: Mutation) {
        for trial in mutation.trials {
            files[trial.path] = File(text: Self.text(of: trial.path), results: trial.results)
        }
        noticed = mutation.noticed
    }

    /// Adds the results to a search; those of files that have changed since are left out, and all where the tests were built
    /// since.
    static func restore(from file: URL, into mutation: inout Mutation) -> Bool {
        guard !isOlderThanTests(file), let data = try? Data(contentsOf: file),
            let state = try? JSONDecoder().decode(Self.self, from: data)
        else {
            return false
        }
        let results = state.files.filter { text(of: $0.key) == $0.value.text }.mapValues(\.results)
        mutation.restore(results, state.noticed)
        return true
    }

    /// Returns a Boolean value that indicates whether the tests in the directory `.build` were built after a file was written.
    private static func isOlderThanTests(_ file: URL) -> Bool {
        let manager = FileManager.default
        let date = { (path: String) in
            try? manager.attributesOfItem(atPath: path)[.modificationDate] as? Date
        }
        let contents = { (path: String) in
            ((try? manager.contentsOfDirectory(atPath: path)) ?? []).map { path + "/" + $0 }
        }
        guard let written = date(file.path) else { return false }
        // .build/debug/AppTests.xctest, or a bundle with the program in Contents/MacOS
        let products = contents(".build").flatMap(contents).filter { $0.hasSuffix(".xctest") }
        return products.flatMap { [$0] + contents($0 + "/Contents/MacOS") }.contains {
            date($0).map { $0 > written } == true
        }
    }

    func write(to file: URL) throws { try JSONEncoder().encode(self).write(to: file, options: .atomic) }
}
