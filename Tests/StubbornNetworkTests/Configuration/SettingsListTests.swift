import Foundation
import LoopbackServer
@_spi(Tools) import StubbornNetworkTooling
import Testing

@testable import StubbornNetwork

/// Each list of a stub directory's settings, by what a network does with it and without it.
@Suite(.timeLimit(.minutes(5)))
struct SettingsListTests {
    private static let first = "planted-first-77q"
    private static let second = "planted-second-77q"

    /// The place of a request that has the value.
    private enum Place {
        case header, path, query, json, form, password
    }

    private struct Scene {
        let directory = TemporaryDirectory()
        let server: LoopbackServer

        init(_ settings: String?) throws {
            let count = Lock(0)
            server = try LoopbackServer { request in
                let number = count.withLock { count in
                    count += 1
                    return count
                }
                if request.header("X-JSON") != nil { return .json(#"{"listed":\#(number)}"#) }
                return .text(request.header("X-Echo") ?? "fine", headers: [("x-LISTED", "\(number)")])
            }
            if let settings { try directory.write(settings, to: ".stubborn.json") }
        }

        func network(_ mode: RecordMode) -> StubbornNetwork {
            let location = StubbornNetworkConfiguration.persistent(name: "list", path: directory.path)!
            let network = StubbornNetwork(
                location,
                environment: ["LISTED": SettingsListTests.first].merging(.newRun) { $1 }
            )
            network.recordMode = mode
            network.bodyEncoding = .readable
            network.requestMatcherOptions = .strict
            network.onUnstubbedRequest = { _ in }
            return network
        }

        func request(_ place: Place?, _ value: String = SettingsListTests.first) -> URLRequest {
            let target =
                switch place {
                case .path: "/a/\(value)"
                case .query: "/a?listed=\(value)"
                default: "/a"
                }
            var request = URLRequest(url: server.url(target))
            request.httpMethod = "POST"
            let type = place == .form ? "application/x-www-form-urlencoded" : "application/json"
            request.setValue(type, forHTTPHeaderField: "Content-Type")
            if place == .header { request.setValue(value, forHTTPHeaderField: "X-lisTED") }
            switch place {
            case .json: request.httpBody = Data(#"{"listed":"\#(value)"}"#.utf8)
            case .form: request.httpBody = Data("listed=\(value)".utf8)
            case .password: request.httpBody = Data(#"{"password":"\#(value)"}"#.utf8)
            case .header, .path, .query, nil: break
            }
            return request
        }

        /// Records a request, and returns the stub file.
        func recording(_ request: URLRequest) async throws -> String {
            let network = network(.recording)
            _ = try await network.session.data(for: request)
            try network.finishRecording()
            return try directory.text(of: "list.json")
        }

        /// Returns a Boolean value that indicates whether the recording of one request answers another one.
        func plays(_ request: URLRequest, recording other: URLRequest) async throws -> Bool {
            _ = try await recording(other)
            return (try? network(.playback).response(to: request)) != nil
        }

        /// Returns a Boolean value that indicates whether a problem of a stub file is allowed.
        func allows(_ kind: String, _ name: String = "listed", stub: Int? = nil) throws -> Bool {
            try StubDirectoryRules(for: URL(fileURLWithPath: directory.path))
                .allows(kind, in: URL(fileURLWithPath: "\(directory.path)/\(name).json"), stub: stub)
        }
    }

    /// Returns a Boolean value that indicates whether a network does what a list asks for.
    private func follows(_ list: StubDirectorySettings.List, _ settings: String?) async throws -> Bool {
        let scene = try Scene(settings)
        func ignores(_ place: Place) async throws -> Bool {
            let (one, other) = (scene.request(place, Self.first), scene.request(place, Self.second))
            return try await scene.plays(other, recording: one)
        }
        func redacts(_ place: Place) async throws -> Bool {
            let text = try await scene.recording(scene.request(place))
            #expect(text.contains("/a"))
            return !text.contains(Self.first)
        }
        switch list {
        case .ignoredFields: return try await ignores(.form)
        case .ignoredHeaders: return try await ignores(.header)
        case .ignoredJSONKeys: return try await ignores(.json)
        case .ignoredPathParameters:
            return try await ignores(.path)
        case .ignoredQueryItems: return try await ignores(.query)
        case .redactedHeaders: return try await redacts(.header)
        case .redactedJSONKeys: return try await redacts(.json)
        case .redactedQueryItems: return try await redacts(.query)
        case .redactedFormFields: return try await redacts(.form)
        case .redactedVariables:
            var request = scene.request(nil)
            request.setValue("Welcome \(Self.first).", forHTTPHeaderField: "X-Echo")
            return try await !scene.recording(request).contains(Self.first)
        case .excludedRules: return try await !redacts(.password)
        case .excludedHosts, .excludedStatusCodes:
            let network = scene.network(.recording)
            _ = try await network.session.data(for: scene.request(nil))
            return network.recordedStubs.isEmpty
        case .placeholders:
            return try await scene.plays(scene.request(.query), recording: scene.request(.query, "listed"))
        case .volatileJSONKeys:
            var request = scene.request(nil)
            request.setValue("yes", forHTTPHeaderField: "X-JSON")
            let before = try await scene.recording(request)
            return try await scene.recording(request) == before
        case .volatileHeaders:
            let before = try await scene.recording(scene.request(nil))
            return try await scene.recording(scene.request(nil)) == before
        case .allowedSecrets, .allowedErrors, .allowedLargeBodies, .allowedOldRecordings, .allowedUnusedFiles,
            .allowedUnusedStubs, .allowedContractBreaches, .allowedContractRemarks, .allowedUndocumentedParts:
            let kind = list.rawValue.split(separator: ".").last.map(String.init) ?? ""
            return try scene.allows(kind)
        }
    }

    @Test func `a problem is allowed for the file or the stub that is named, and for no other`() throws {
        let scene = try Scene(#"{ "allowed" : { "large-body" : [ "Shop", "Login:2" ] } }"#)
        #expect(try scene.allows("large-body", "Shop", stub: 1))
        #expect(try scene.allows("large-body", "Login", stub: 2))
        for (name, stub) in [("Login", nil), ("Login", 1), ("Login", 21), ("Shops", nil)] as [(String, Int?)] {
            #expect(try !scene.allows("large-body", name, stub: stub))
        }
        #expect(try !scene.allows("recorded-error", "Shop"))
        #expect(try !scene.allows("unreadable-file", "Shop"))
    }

    @Test(arguments: StubDirectorySettings.List.allCases)
    func `each list of the settings is followed, and nothing of it without the settings`(
        list: StubDirectorySettings.List
    ) async throws {
        let keys = list.rawValue.split(separator: ".")
        let name: String
        switch list {
        case .excludedRules: name = "password-fields"
        case .redactedVariables: name = "LISTED"
        case .ignoredHeaders, .redactedHeaders, .volatileHeaders: name = "X-Listed"
        case .excludedHosts: name = "127.0.0.1"
        case .excludedStatusCodes: name = "200"
        case .ignoredPathParameters: name = "/a/:listed"
        default: name = "listed"
        }
        let element = list == .excludedStatusCodes ? name : name.quoted()
        let settings = keys.reversed().reduce("[ \(element) ]") { "{ \"\($1)\" : \($0) }" }
        #expect(try await follows(list, settings), "\(settings)")
        #expect(try await !follows(list, nil))
    }

    @Test(arguments: BodyEncoding.allCases)
    func `each body encoding is taken from the settings`(encoding: BodyEncoding) throws {
        let directory = TemporaryDirectory()
        try directory.write(#"{ "bodyEncoding" : "\#(encoding.rawValue)" }"#, to: ".stubborn.json")
        let network = StubbornNetwork(.persistent(name: "list", path: directory.path)!, environment: .newRun)
        #expect(network.bodyEncoding == encoding)
    }
}
