import Foundation

/// The values that a test makes. They are stored like requests, but the test itself answers them.
extension Engine {
    /// The value or the error that was made or recorded under a name; `nil` if it has to be made.
    private typealias Stored<Value> = Result<Value, any Error>?

    /// If recorded stubs answer, returns the recorded value or throws the recorded error; otherwise, returns or throws
    /// the result of `make`.
    ///
    /// The new value is stored if the mode records. A missing value is reported like an unstubbed request.
    func value<Value: Codable, E: Error>(_ name: String, _ make: () throws(E) -> Value) throws(E) -> Value {
        var recording: Recording?
        switch storedValue(name, &recording) as Stored<Value> {
        case .success(let value): return value
        case .failure(let error as E): throw error
        case .failure(let error): note(invalidValue(name, "an error, which this closure cannot throw: \(error)"))
        case nil: break
        }
        do {
            return keep(try make(), as: name, recording)
        } catch {
            keep(error, as: name, recording)
            throw error
        }
    }

    /// The same for a value that is made asynchronously.
    func value<Value: Codable>(
        _ name: String,
        isolation: isolated (any Actor)?,
        _ make: () async throws -> Value
    ) async throws -> Value {
        if !loadsQuickly { await onOtherThread { _ = try? self.loadFiles() } }
        var recording: Recording?
        if let stored = storedValue(name, &recording) as Stored<Value> { return try stored.get() }
        do {
            return keep(try await make(), as: name, recording)
        } catch {
            keep(error, as: name, recording)
            throw error
        }
    }

    /// Returns the value that was made or recorded under a name, or sets the recording that stores the new value.
    private func storedValue<Value: Decodable>(_ name: String, _ recording: inout Recording?) -> Stored<Value> {
        if let json = madeValues.withLock({ $0[name] }) { return decoded(json, of: name) }
        switch decide(StubRequest(valueNamed: name)) {
        case .play(let response, _):
            if let failure = response.failure { return .failure(failure.error(failing: nil)) }
            return decoded(response.body ?? Data(), of: name)
        case .record(let new): recording = new
        case .passThrough: break
        // The missing value has been reported already.
        case .fail(let error): if error.report == nil { note(error) }
        }
        return nil
    }

    private func decoded<Value: Decodable>(_ json: Data, of name: String) -> Stored<Value> {
        do {
            return .success(try ValueText.value(in: json))
        } catch {
            let problem = "\(String(decoding: json, as: UTF8.self).cut()), which is not of the type \(Value.self)."
            note(invalidValue(name, problem, error))
            return nil
        }
    }

    /// Stores a value that was made, and returns it as it is read from the file.
    private func keep<Value: Codable>(_ value: Value, as name: String, _ recording: Recording?) -> Value {
        let json: Data
        do {
            json = try ValueText.json(of: value)
        } catch {
            note(.unstorableValue(name, Value.self, because: error))
            return value
        }
        // If several values are made at the same time, the first one counts.
        let earlier = madeValues.withLock { made in
            defer { made[name] = made[name] ?? json }
            return made[name]
        }
        if earlier == nil { store(Stub(valueNamed: name, json: json).response, as: name, recording) }
        return (try? ValueText.value(in: earlier ?? json)) ?? value
    }

    /// Stores the error of a value that could not be made.
    private func keep(_ error: any Error, as name: String, _ recording: Recording?) {
        if !(error is CancellationError) { store(StubResponse(failure: StubFailure(error)), as: name, recording) }
    }

    private func store(_ response: StubResponse, as name: String, _ recording: Recording?) {
        guard var recording else { return }
        let hasSecret = response.texts.contains { text in
            let text = String(decoding: text.data, as: UTF8.self)
            return recording.redactor.redact(text: text) != text
        }
        if hasSecret { return note(.secretInValue(name)) }
        recording.request = StubRequest(valueNamed: name)
        recording.response = response
        // The end of the recording throws the error.
        if let compare = recording.compare { recording.stub.map(compare) } else { try? recorded.store(recording) }
    }

    /// Notes an error that the end of the recording throws, and writes it to standard error if no test shows it.
    private func note(_ error: StubbornNetworkError) {
        recorded.writer?.noteFailure(error)
        let settings = settings.current.settings
        if settings.onUnstubbedRequest == nil, settings.onUnstubbedRequestOfTest == nil {
            StandardError.write(error.message)
        }
    }

    /// Returns the error for a value that cannot be returned, with its place in the file, unless the test has just made the value.
    private func invalidValue(_ name: String, _ problem: String, _ error: (any Error)? = nil) -> StubbornNetworkError {
        let isMade = madeValues.withLock { $0[name] != nil }
        let stubs = isMade ? [] : ([recorded] + shared).flatMap { $0.recorded.withLock(\.summaries) }
        let location = stubs.first { $0.stub.valueName == name }?.location
        let place = location.map { " (\($0))" } ?? ", which this test made before,"
        let fixes = location == nil ? [] : fixesToRecordAgain.lines
        let text = ["The value \(name.quoted())\(place) is \(problem)"] + fixes
        return StubbornNetworkError(.invalidStub, text.joined(separator: "\n"), underlyingError: error)
    }
}

/// The JSON of a value: of an array with this one element, without the brackets.
///
/// Some versions of Foundation write a string or a number only inside an array.
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
            The value \(name.quoted()) was not recorded, because it contains a secret. A value is stored unchanged, so record only \
            values that are not secret. If it is not a secret, exclude it: \
            network.redaction = .standard.excluding(…).
            """
        return Self(.secretInRecording, message)
    }
}
