/// The settings that decide which recorded stub answers.
package struct PlaybackRules: Sendable {
    /// A number that changes with the matchers and the redaction.
    ///
    /// An index is built again only when this number changes.
    var generation = 0
    @Setting package var matchers: RequestMatcherOptions = .standard { didSet { generation += 1 } }
    @Setting package var redaction: Redaction = .standard { didSet { generation += 1 } }
    /// The header fields that a client makes for each request, and that its response may give back.
    var givenBackHeaderFields: VolatileHeaderFields = .standard { didSet { generation += 1 } }
    /// The texts that stand for any value in recorded stubs: `<API_KEY>`.
    var placeholders: [String] = [] { didSet { generation += 1 } }
    @Setting package var order: PlaybackOrder = .sequenceThenLast
}
