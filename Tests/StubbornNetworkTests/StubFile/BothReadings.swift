import Foundation
import Testing

@testable import StubbornNetwork

/// Reads the same file in both ways, as a whole and part by part, and expects the same result.
struct BothReadings {
    private let directory = TemporaryDirectory()

    enum Outcome: Equatable {
        case stubs([FoundationStub])
        case refusal(String)

        var stubs: [FoundationStub]? {
            if case .stubs(let stubs) = self { stubs } else { nil }
        }
    }

    private var file: URL { directory.file("Login.json") }

    init() {
        try? FileManager.default.createDirectory(at: directory.url, withIntermediateDirectories: true)
    }

    /// Returns the stubs of a file, with all bodies read, or the reason why the file is refused.
    ///
    /// A body of at least `minimum` bytes stays in the file. The file is read `windowByteCount` bytes at a time.
    func outcome(of data: Data, minimum: Int = 8, windowByteCount: Int = 32) throws -> Outcome {
        let whole = outcome { try StubFileText(data, file: file) }
        if case .refusal(let message) = whole {
            let position = message.range(of: #"Login\.json:[1-9][0-9]*:[1-9][0-9]*: "#, options: .regularExpression)
            #expect(position != nil, "\(message)")
        }
        guard let streamed = try streamed(data, minimum, windowByteCount) else { return whole }
        let text = String(decoding: data, as: UTF8.self).debugDescription
        // A body that stays in the file is found out later than whatever else is wrong.
        let ofBodies = ["base64", "an escape", "surrogates", "control characters", "UTF-8"]
        if case .refusal(let message) = whole, ofBodies.contains(where: message.contains) {
            #expect(streamed.stubs == nil, "\(text)")
        } else if case .refusal(let message) = streamed, message.contains("base64") {
            #expect(whole.stubs == nil, "\(text)")
        } else {
            #expect(streamed == whole, "\(text)")
        }
        return whole
    }

    private func streamed(_ data: Data, _ minimum: Int, _ windowByteCount: Int) throws -> Outcome? {
        try data.write(to: file)
        let descriptor = try FileDescriptor.reading(file.path)
        let text = try StubFileText(
            descriptor,
            try descriptor.fingerprint(),
            file: file,
            largeFileByteCount: 0,
            largeStringByteCount: minimum,
            windowByteCount: windowByteCount
        )
        return text.map { text in outcome { text } }
    }

    private func outcome(_ text: () throws -> StubFileText) -> Outcome {
        do {
            let text = try text()
            let entries = try StubFileDocument(parsing: text).entries
            for entry in entries {
                _ = try entry.stub.response.content?.data()
                #expect(try entry.data().first == UInt8(ascii: "{"))
                #expect(try entry.data().last == UInt8(ascii: "}"))
            }
            return .stubs(entries.map { FoundationStub($0.stub) })
        } catch let error as StubbornNetworkError {
            return .refusal(error.message)
        } catch {
            return .refusal("\(error)")
        }
    }
}

/// Small files, each for a fault or a liberty that a stub file may have.
enum Corpus {
    static let files: [URL] = {
        let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent().appendingPathComponent("Corpus")
        let names = (try? FileManager.default.contentsOfDirectory(atPath: folder.path)) ?? []
        return names.sorted().map { folder.appendingPathComponent($0) }
    }()
}
