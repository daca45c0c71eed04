import Foundation

/// A directory with stub files for `stubborn mutate`, and what the command says.
struct MutationScene {
    /// An object with forty members, `"m1" : 1` to `"m40" : 40`.
    static let fortyMembers = "{" + (1...40).map { "\"m\($0)\":\($0)" }.joined(separator: ",") + "}"
    static let user = #"{"id":42,"name":"Ada","tags":["a","b"]}"#

    let directory: TemporaryDirectory

    init() throws {
        directory = try TemporaryDirectory()
        try FileManager.default.createDirectory(at: directory.file("tmp"), withIntermediateDirectories: true)
    }

    /// Writes a stub file with one response.
    func write(_ json: String, to name: String) throws {
        try directory.write(Recorded.file(Recorded.stub("/a", json: json.spaced)), to: "Stubs/\(name).json")
    }

    /// Runs `stubborn mutate` for the tests.
    func report(_ swift: FakeSwift, _ options: String...) throws -> Report {
        let result = try swift.stubborn(["mutate", "--format", "json"] + options + ["--", "swift", "test"])
        return try JSONDecoder().decode(Report.self, from: result.outputData)
    }

    struct Report: Decodable {
        struct Unnoticed: Decodable {
            let file: String
            let stub: Int
            let keyPath: String
            let change: String
            let description: String
            let received: Int
        }
        struct File: Decodable, Equatable {
            let file: String
            let tried: Int
            let noticed: Int
            let score: Int?
        }
        let testsThatAssertNothing: [String]
        let testsLeftOut: [String]
        let unnoticed: [Unnoticed]
        let files: [File]
        let isComplete: Bool
        let runs: Int
    }
}
