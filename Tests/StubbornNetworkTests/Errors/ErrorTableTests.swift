import Foundation
import Testing

@testable import StubbornNetwork

/// The codes of errors and the limits of their strings.
struct ErrorTableTests {
    /// The codes by number: programs store these numbers.
    private static let codes: [(StubbornNetworkError.Code, String, Int)] = [
        (.unstubbedRequest, "unstubbedRequest", 1), (.unsupportedRequest, "unsupportedRequest", 2),
        (.networkGone, "networkGone", 3), (.invalidSettings, "invalidSettings", 4),
        (.stubFileNotFound, "stubFileNotFound", 5), (.unreadableStubFile, "unreadableStubFile", 6),
        (.malformedStubFile, "malformedStubFile", 7), (.unwritableStubFile, "unwritableStubFile", 8),
        (.invalidStub, "invalidStub", 9), (.secretInRecording, "secretInRecording", 10),
        (.ambiguousInterception, "ambiguousInterception", 11), (.noSuchExchange, "noSuchExchange", 12),
        (.undecodableBody, "undecodableBody", 13), (.notCancelled, "notCancelled", 14),
        (.placeholderInRequest, "placeholderInRequest", 15), (.noCurrentNetwork, "noCurrentNetwork", 16),
        (.unsupportedVersion, "unsupportedVersion", 17),
    ]

    @Test func `each code has its name, and a number of its own that stays`() throws {
        for (code, name, number) in Self.codes {
            #expect(code.description == name)
            #expect((StubbornNetworkError(code, "") as NSError).code == number)
        }
        #expect(Set(Self.codes.map(\.0)).count == Self.codes.count)
        let package = URL(fileURLWithPath: #filePath).deletingLastPathComponent().appendingPathComponent("../../..")
        let file = package.appendingPathComponent("Sources/StubbornNetwork/Errors/StubbornNetworkError.swift")
        let source = try String(contentsOf: file, encoding: .utf8)
        let declared = source.components(separatedBy: "public static let ").dropFirst().map { $0.prefix { $0 != " " } }
        #expect(declared.map(String.init) == Self.codes.map(\.1))
    }

    @Test func `each invalid setting has an error of one code`() {
        let errors: [StubbornNetworkError] = [
            .unknownRecordMode("x"), .missingVariable(.stubName, beside: .stubPath),
            .unusableName("-", origin: "STUB_NAME"), .nowhereToRecord(.recording),
            .settingsFile("/a/.stubborn.json", "x"), .unreadableReplacements("/a.json"),
        ]
        for error in errors { #expect(error.code == .invalidSettings, "\(error)") }
    }

    @Test func `the error for an unknown record mode names each record mode`() {
        let message = StubbornNetworkError.unknownRecordMode("x").message
        for mode in RecordMode.allCases { #expect(message.contains(" \(mode.rawValue)"), "\(mode)") }
    }

    @Test(arguments: [(511, 511), (512, 512), (513, 512)])
    func `a URL in a text has at most 512 characters`(count: Int, expected: Int) throws {
        let base = "https://api.test/"
        let url = try URL.parsed(base + String(repeating: "a", count: count - base.count))
        #expect(StubbornNetworkError.name(url).count == expected)
    }

    @Test(arguments: [0, 1, 7, 8, 9, 20])
    func `the error for a missing exchange lists the last eight requests, and counts those before`(count: Int) {
        let requests = (0..<count).map { "GET https://api.test/\($0)" }
        let lines = StubbornNetworkError.noSuchExchange("path /a", requests: requests).message.split(separator: "\n")
        #expect(lines.filter { $0.hasPrefix("  GET ") }.map { String($0.dropFirst(2)) } == requests.suffix(8))
        let counted = lines.filter { $0.hasPrefix("  and ") }
        #expect(counted == (count > 8 ? ["  and \(count - 8) before them"] : []))
    }
}
