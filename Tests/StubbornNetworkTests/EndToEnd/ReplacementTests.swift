import Foundation
import Testing

@testable import StubbornNetwork

/// Files that are played in place of stub files, as `STUB_REPLACEMENTS` says.
struct ReplacementTests {
    private let directory = TemporaryDirectory()

    private func write(_ answer: String, to name: String) throws -> URL {
        let stub = Stub(request: .make("GET", "https://api.example.com/a"), response: .text(answer))
        let store = StubFileStore(file: directory.file(name))
        let document = StubFileDocument(entries: [StubFileEntry(rendering: stub, bodyEncoding: .readable)])
        try store.write(document.data)
        return store.file
    }

    /// Returns the answer of a network with the stub file `a.json`.
    private func answer(name: String = "a", sharing shared: [String] = [], _ environment: [String: String]) throws
        -> String
    {
        let configuration = StubbornNetworkConfiguration.persistent(named: name, in: directory.path, sharing: shared)
        let network = StubbornNetwork(configuration, environment: environment)
        let (data, _) = try network.response(to: URLRequest(url: .parsed("https://api.example.com/a")))
        return String(decoding: data, as: UTF8.self)
    }

    @Test func `another file is played in the place of a stub file, where nothing can be recorded`() throws {
        let file = try write("recorded", to: "a.json")
        let replacement = try write("changed", to: "new.json")
        try directory.write(#"{ "\#(file.path)" : "\#(replacement.path)" }"#, to: "replacements.txt")
        let variables = ["STUB_REPLACEMENTS": directory.file("replacements.txt").path]
        let playback = variables.merging(["STUB_RECORD_MODE": "playback"]) { $1 }
        #expect(try answer(playback) == "changed")
        #expect(try answer(name: "b", sharing: ["a"], playback) == "changed")
        #expect(try answer(variables) == "recorded")
        for mode in ["recording-once", "recording-missing"] {
            #expect(try answer(variables.merging(["STUB_RECORD_MODE": mode]) { $1 }) == "recorded")
        }
        #expect(try directory.text(of: "a.json").contains(#""recorded""#))
    }

    @Test(arguments: [nil, "[]", #"{ "a" : 1 }"#, "{"])
    func `a file that does not name replacements is an error`(text: String?) throws {
        _ = try write("recorded", to: "a.json")
        try text.map { try directory.write($0, to: "replacements.txt") }
        let path = directory.file("replacements.txt").path
        let error = #expect(throws: StubbornNetworkError.self) {
            try answer(["STUB_REPLACEMENTS": path, "STUB_RECORD_MODE": "playback"])
        }
        #expect(error?.code == .invalidSettings)
        #expect(error?.message.hasPrefix("STUB_REPLACEMENTS is \"\(path)\", which is not a JSON file") == true)
    }
}
