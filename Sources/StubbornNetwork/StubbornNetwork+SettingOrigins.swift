/// Settings that the testing product makes, with their origins for reports.
extension StubbornNetwork {
    /// Sets the matchers and the maker of the setting: `.stubbed(matching:) at LoginTests.swift:12`.
    package func setRequestMatcherOptions(_ options: RequestMatcherOptions, by origin: String) {
        requestMatcherOptions = options
        engine.origins.withLock { $0.matchers = .named(origin) }
    }

    package func setPlaybackOrder(_ order: PlaybackOrder, by origin: String) {
        playbackOrder = order
        engine.origins.withLock { $0.order = .named(origin) }
    }

    package func setRecordMode(_ mode: RecordMode, by origin: String) {
        recordMode = mode
        engine.origins.withLock { $0.recordMode = .named(origin) }
    }

    /// Sets the running test, for the command that a report offers.
    ///
    /// - Parameter filter: the running test, as `swift test --filter` takes it: `LoginTests.login`.
    package func setTest(filter: String) {
        engine.origins.withLock { $0.testFilter = filter }
    }
}
