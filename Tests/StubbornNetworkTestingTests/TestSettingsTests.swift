import Foundation
import Testing

@testable import StubbornNetwork
@testable import StubbornNetworkTesting

struct TestSettingsTests {
    private func network(_ settings: TestSettings...) throws -> StubbornNetwork {
        let network = StubbornNetwork(.ephemeral, environment: [:])
        for settings in settings { try settings.apply(to: network) }
        return network
    }

    private static let outer = TestSettings(
        recordMode: .recording,
        matching: .strict,
        order: .stateful,
        redaction: .standard.including(values: ["outer-value-77q"]),
        bodyEncoding: .readable
    )

    /// What a network has after settings were applied, by the name of the setting.
    private func values(_ network: StubbornNetwork) -> [String: String] {
        [
            "recordMode": network.recordMode.rawValue, "matching": network.requestMatcherOptions.description,
            "order": network.playbackOrder.description, "redaction": "\(network.redaction.knownValues.map(\.value))",
            "bodyEncoding": network.bodyEncoding.rawValue,
        ]
    }

    @Test func `each setting of a network is applied, and changed only by settings that name it`() throws {
        let standard = try values(network(TestSettings()))
        let outer = try values(network(Self.outer))
        for (name, value) in outer { #expect(standard[name] != value, "\(name)") }
        #expect(try values(network(Self.outer, TestSettings())) == outer)

        let inner: [String: TestSettings] = [
            "recordMode": TestSettings(recordMode: .live), "matching": TestSettings(matching: .lenient),
            "order": TestSettings(order: .sequence), "redaction": TestSettings(redaction: Redaction.none),
            "bodyEncoding": TestSettings(bodyEncoding: .base64),
        ]
        for (name, settings) in inner {
            let changed = try values(network(Self.outer, settings))
            for (other, value) in outer { #expect((changed[other] == value) == (other != name), "\(name), \(other)") }
        }

        // The others are asked for by the trait itself, the innermost first.
        let asked: Set = [
            "name", "directory", "sharing", "sharedSession", "failsOn",
            "environment",
            "function", "location", "prepare",
        ]
        let names = Mirror(reflecting: TestSettings()).children.compactMap(\.label)
        #expect(Set(names) == asked.union(inner.keys))
    }

    @Test func `the last settings that name something decide, and those that name nothing do not`() {
        let all = [
            TestSettings(), TestSettings(name: "a", failsOn: .unused), TestSettings(), TestSettings(name: "b"),
            TestSettings(),
        ]
        #expect(all.last { $0.name } == "b")
        #expect(all.last { $0.failsOn } == .unused)
        #expect(all.last { $0.sharedSession } == nil)
    }
}
