extension StubbornNetwork {
    /// Returns a value that the test makes when it is recorded, and the same value on playback.
    ///
    /// A test that makes a new id in each run sends another request each time, which no recording matches. With a name, the id
    /// is recorded too:
    ///
    ///     let id = network.value("order") { UUID() }
    ///     try await shop.order(id)        // PUT https://api.example.com/orders/5F0C…
    ///
    /// The stub file has it as JSON that everybody can read, so it must not be a secret:
    ///
    ///     {
    ///       "json" : "5F0C2B1E-6B0E-4B0B-9C39-0E3C9F5D7A11",
    ///       "recordedAt" : "2026-11-22T15:04:05Z",
    ///       "value" : "order"
    ///     }
    ///
    /// A value is recorded and played like a stub. It is made when a file is recorded from the start, and always in `.live`.
    /// In `.recordingMissing` a value of the file is used. On playback a value that is missing is reported like an unstubbed
    /// request, and `make` is called. A value that no test asked for is one of the `unusedStubs`.
    ///
    /// The same name gives the same value, also in the other processes of a run that start after it was made. For several
    /// values, use several names: `"order \(number)"`. It reads the stub file, if that was not read before.
    ///
    /// - Parameters:
    ///   - name: the name of the value in the stub file.
    ///   - make: makes the value. Where several threads ask for a name at the same time, it may be called more than once, and
    ///     all of them get the first value.
    /// - Returns: the value as it is read from the file: dates have whole milliseconds.
    /// - Throws: the error of `make`.
    public func value<Value: Codable>(_ name: String, _ make: () throws -> Value) rethrows -> Value {
        try engine.value(name, make)
    }

    /// Returns a value of any asynchronous call, which is recorded once and played afterwards.
    ///
    /// For whatever is not HTTP: a model on the device, a database, a library that hides its requests:
    ///
    ///     let forecast = try await network.value("forecast") { try await model.answer(prompt) }
    ///
    /// It has the same modes, the same entry in the file and the same reports as the function without `async`. An error is
    /// recorded too, with its domain, its code and its text, and thrown on playback: as a `URLError` if it was one, and
    /// otherwise as an `NSError`. A call that is repeated after an error gets the errors one after the other, and then the
    /// value. Cancellation is not recorded.
    ///
    /// - Parameters:
    ///   - name: the name of the value in the stub file.
    ///   - isolation: the actor that `make` is called on: the caller's.
    ///   - make: makes the value.
    /// - Returns: the value as it is read from the file: dates have whole milliseconds.
    /// - Throws: the error of `make`, live or recorded.
    public func value<Value: Codable>(
        _ name: String,
        isolation: isolated (any Actor)? = #isolation,
        _ make: () async throws -> Value
    ) async throws -> Value {
        try await engine.value(name, isolation: isolation, make)
    }
}
