import Foundation
import FoundationNetworking

@testable import StubbornNetwork

/// A configuration of a system that has two loading modes (macOS 15.4, iOS 18.4).
final class SimulatedConfiguration: URLSessionConfiguration, InLoadingMode, RespondingObject, KeyValueObject,
    @unchecked Sendable
{
    let selectors = ["setUsesClassicLoadingMode:", "usesClassicLoadingMode"]
    var values: [String: Bool]

    // The initializer of the superclass is deprecated: call it with `in(_:)`.
    @available(*, deprecated)
    init(mode: LoadingMode) {
        values = ["usesClassicLoadingMode": mode == .classic]
        super.init()
    }

    var mode: LoadingMode { values["usesClassicLoadingMode"] == false ? .new : .classic }

    /// Copies what the simulated loader reads.
    override func copy(with zone: NSZone? = nil) -> Any {
        let copy = Self.in(mode)
        copy.protocolClasses = protocolClasses
        copy.httpAdditionalHeaders = httpAdditionalHeaders
        copy.timeoutIntervalForRequest = timeoutIntervalForRequest
        copy.timeoutIntervalForResource = timeoutIntervalForResource
        return copy
    }
}

/// A type that is made for a loading mode: a way to call a deprecated initializer without a warning.
protocol InLoadingMode {
    init(mode: LoadingMode)
}

extension InLoadingMode {
    static func `in`(_ mode: LoadingMode) -> Self { Self(mode: mode) }
}
