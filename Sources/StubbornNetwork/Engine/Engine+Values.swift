import Foundation

/// The values that a test makes, which are stubs without a server.
extension Engine {
    /// Returns the value that was recorded under a name, where recorded stubs answer, or else what `make` returns.
    ///
    /// A value that is made is stored, where the mode records. A value that is missing is reported like an unstubbed request.
    func value<Value: Codable>(_ name: String, _ make: () throws -> Value) rethrows -> Value {
        let stored: Result<Value, any Error>? = storedValue(named: name)
        if case .success(let value)? = stored { return value }
        return keep(try make(), as: name)
    }

    /// Returns or throws what was recorded under a name, where recorded stubs answer, or else what `make` returns or throws.
    func value<Value: Codable>(
        _ name: String,
        isolation: isolated (any Actor)?,
        _ make: () async throws -> Value
    ) async throws -> Value {
        if !loadsQuickly { await onOtherThread { _ = try? self.loadFiles() } }
        if let stored: Result<Value, any Error> = storedValue(named: name) { return try stored.get() }
        do {
            return keep(try await make(), as: name)
        } catch is CancellationError {
            throw CancellationError()
        } catch {
            store(StubResponse(failure: StubFailure(error)), as: name)
            throw error
        }
    }

    /// Returns what was made or recorded under a name; `nil` if it has to be made.
    private func storedValue<Value: Codable>(named name: String) -> Result<Value, any Error>? {
        let current = settings.current
        do throws(StubbornNetworkError) {
            if let json = madeValues.withLock({ $0[name] }) { return .success(try decode(json, of: name)) }
            guard let found = try recordedValue(named: name, by: current.mode) else { return nil }
            let response = found.stub.response
            if let failure = response.failure { return .failure(failure.error(failing: nil)) }
            return .success(try decode(response.body ?? Data(), of: name, at: found.location))
        } catch {
            note(error, current.settings)
            return nil
        }
    }

    /// Stores a value that was made, and returns it as it is read from the file.
    private func keep<Value: Codable>(_ value: Value, as name: String) -> Value {
        let json: Data
        do {
            json = try ValueText.json(of: value)
        } catch {
            note(.unstorableValue(name, Value.self, because: error), settings.current.settings)
            return value
        }
        // Of values that are made at the same time, the first one counts.
        let earlier = madeValues.withLock { made in
            defer { made[name] = made[name] ?? json }
            return made[name]
        }
        if earlier == nil { store(Stub(valueNamed: name, json: json).response, as: name) }
        return (try? ValueText.value(in: earlier ?? json)) ?? value
    }

    /// Returns a value from its JSON in the file, or from that which this network has made: it has no location.
    private func decode<Value: Decodable>(
        _ json: Data,
        of name: String,
        at location: String? = nil
    ) throws(StubbornNetworkError) -> Value {
        do {
            return try ValueText.value(in: json)
        } catch {
            throw .undecodableValue(name, json, at: location, Value.self, because: error, recordingAdvice)
        }
    }

    /// Returns the value or the error that was recorded under a name; `nil` if it has to be made.
    private func recordedValue(named name: String, by mode: RecordMode) throws(StubbornNetworkError) -> StubSummary? {
        if let invalidSetting { throw invalidSetting }
        if mode.rules.passesThrough { return nil }
        try loadFiles()
        // A run that replaces the file makes its own values. What it shares is not replaced.
        let rules = rules(of: mode)
        let isReplacing = rules.isRecording && rules.replacesFile
        for source in [recorded] + shared {
            let isOfRun = isReplacing && source === recorded
            if let stub = source.recorded.withLock({ $0.takeValue(named: name, isOfRun: isOfRun) }) { return stub }
        }
        return nil
    }

    /// Stores a value that was made, or the error in its place, or reports that it was not recorded.
    private func store(_ response: StubResponse, as name: String) {
        let current = settings.current
        let (mode, settings) = (rules(of: current.mode), current.settings)
        if mode.passesThrough || settings.answersUnstubbedRequests { return }
        let request = StubRequest(valueNamed: name)
        guard mode.isRecording else {
            log.noteUnstubbed(request)
            _ = unstubbed(request, by: current)
            return
        }
        if isTestEnded.withLock({ $0 }) { return }
        var recording = recording(of: request, as: request, by: current)
        let hasSecret = response.texts.contains { text in
            let text = String(decoding: text.data, as: UTF8.self)
            return recording.redactor.redact(text: text) != text
        }
        if hasSecret { return note(.secretInValue(name), settings) }
        recording.request = request
        recording.response = response
        // The end of the recording throws the error.
        try? recorded.store(recording)
    }

    /// Notes an error that the end of the recording throws, and writes it to standard error where no test shows it.
    private func note(_ error: StubbornNetworkError, _ settings: NetworkSettings) {
        recorded.writer?.noteFailure(error)
        if settings.onUnstubbedRequest == nil, settings.onUnstubbedRequestOfTest == nil {
            StandardError.write(error.message)
        }
    }
}

/// The JSON of a value: of an array with this one element, without the brackets.
///
/// Some versions of Foundation write a text or a number only inside an array.
private enum ValueText {
    static func json(of value: some Encodable) throws -> Data {
        let encoder = JSONEncoder.sortingKeys()
        encoder.dateEncodingStrategy = .custom { date, encoder in
            guard let text = UTCDate.textWithMilliseconds(of: date) else { return try date.encode(to: encoder) }
            var container = encoder.singleValueContainer()
            try container.encode(text)
        }
        return try encoder.encode([value]).dropFirst().dropLast()
    }

    static func value<Value: Decodable>(in json: Data) throws -> Value {
        let decoder = JSONDecoder()
        decoder.dateDecodingStrategy = .custom { decoder in
            let text = try? decoder.singleValueContainer().decode(String.self)
            return try text.flatMap(UTCDate.dateWithMilliseconds) ?? Date(from: decoder)
        }
        let values = try decoder.decode([Value].self, from: Data("[".utf8) + json + Data("]".utf8))
        guard let value = values.first else {
            throw DecodingError.valueNotFound(Value.self, .init(codingPath: [], debugDescription: "there is no value"))
        }
        return value
    }
}

extension StubbornNetworkError {
    fileprivate static func unstorableValue(_ name: String, _ type: Any.Type, because error: any Error) -> Self {
        let message = """
            The value \(name.quoted()) was not recorded: this \(type) cannot be written as JSON (\("\(error)".cut())).
            """
        return Self(.invalidStub, message, underlyingError: error)
    }

    fileprivate static func secretInValue(_ name: String) -> Self {
        let message = """
            The value \(name.quoted()) was not recorded, because it contains a secret. A value is stored as it is: record \
            only values that are not secret, and get the secret elsewhere. If it is not a secret, exclude it: \
            network.redaction = .standard.excluding(…).
            """
        return Self(.secretInRecording, message)
    }

    fileprivate static func undecodableValue(
        _ name: String,
        _ json: Data,
        at location: String?,
        _ type: Any.Type,
        because error: any Error,
        _ advice: RecordingAdvice
    ) -> Self {
        let place = location.map { " (\($0))" } ?? ", which this test made before,"
        let fixes = location == nil ? [] : advice.fixes("To record the test again", mode: .recording).lines
        let value = String(decoding: json, as: UTF8.self).cut()
        let text = "The value \(name.quoted())\(place) is \(value), which is not of the type \(type)."
        return Self(.invalidStub, ([text] + fixes).joined(separator: "\n"), underlyingError: error)
    }
}
