import Foundation
import Testing

@testable import StubbornNetwork

/// Reads stub files, with all bodies.
struct StubFileReading {
    enum Outcome: Equatable {
        case stubs([FoundationStub])
        case refusal(String)

        var stubs: [FoundationStub]? {
            if case .stubs(let stubs) = self { stubs } else { nil }
        }

        /// A Boolean value that indicates whether the file is refused for something that Foundation allows.
        var isStricter: Bool {
            guard case .refusal(let message) = self else { return false }
            return message.contains("each key once") || message.contains("after the comma")
        }
    }

    /// Returns the stubs of a file, with all bodies read, or the reason why the file is refused.
    func outcome(of data: Data) -> Outcome {
        let outcome = outcome { try StubFileText(data, file: URL(fileURLWithPath: "/Stubs/Login.json")) }
        if case .refusal(let message) = outcome {
            let position = message.range(of: #"Login\.json:[1-9][0-9]*:[1-9][0-9]*: "#, options: .regularExpression)
            #expect(position != nil, "\(message)")
        }
        return outcome
    }

    private func outcome(_ text: () throws -> StubFileText) -> Outcome {
        do {
            let text = try text()
            let entries = try StubFileDocument(parsing: text).entries
            for entry in entries {
                #expect(entry.json.first == UInt8(ascii: "{"))
                #expect(entry.json.last == UInt8(ascii: "}"))
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
