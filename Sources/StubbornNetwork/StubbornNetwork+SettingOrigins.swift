/// What the testing product says about where the settings come from that it makes. Reports repeat it.
extension StubbornNetwork {
    /// - Parameter source: `.stubbed(matching:) at LoginTests.swift:12`.
    package func setRequestMatcherOptions(_ options: RequestMatcherOptions, by source: String) {
        requestMatcherOptions = options
        engine.origins.withLock { $0.matchers = .named(source) }
    }

    package func setPlaybackOrder(_ order: PlaybackOrder, by source: String) {
        playbackOrder = order
        engine.origins.withLock { $0.order = .named(source) }
    }

    package func setRecordMode(_ mode: RecordMode, by source: String) {
        recordMode = mode
        engine.origins.withLock { $0.recordMode = .named(source) }
    }

    /// - Parameter filter: the running test, as `swift test --filter` takes it: `LoginTests.login`.
    package func setTest(filter: String) {
        engine.origins.withLock { $0.testFilter = filter }
    }
}
