/// Settings that the testing product makes, with their origins for reports.
extension StubbornNetwork {
    /// Changes settings, and names the maker of those changed: `the closure of .stubbed at LoginTests.swift:12`.
    package func changeSettings(as origin: String, _ body: () throws -> Void) rethrows {
        engine.origins.withLock { $0.code = .named(origin) }
        defer { engine.origins.withLock { $0.code = .code } }
        try body()
    }

    /// Sets the running test, for the advice of reports.
    ///
    /// - Parameters:
    ///   - filter: the running test, as `swift test --filter` takes it: `LoginTests.login`.
    ///   - form: the code that makes the settings.
    package func setTest(filter: String, form: AdviceForm = .network) {
        engine.origins.withLock { ($0.testFilter, $0.form) = (filter, form) }
    }
}
