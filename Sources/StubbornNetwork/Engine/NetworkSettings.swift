import Foundation

/// What a network can be told, from any thread, at any time; each request goes by what holds when it starts.
struct NetworkSettings: Sendable {
    var recordMode: RecordMode = .playback
    var rules = PlaybackRules()
    var recordsTiming = false
    var playbackSpeed: PlaybackSpeed = .immediate
    var bodyEncoding: BodyEncoding = .base64
    var volatileHeaderFields: VolatileHeaderFields = .standard
    var bodyDataProcessor: (any BodyDataProcessor)?
    var onUnstubbedRequest: (@Sendable (UnstubbedRequestReport) -> Void)?
    /// Whether a request that no stub answers gets an empty 200, as in an observing network.
    var answersUnstubbedRequests = false
}
