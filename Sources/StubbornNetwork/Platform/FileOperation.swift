import Foundation

/// The operations of the system on files that this library uses, each of which may fail.
enum FileOperation: CaseIterable, Sendable {
    case open, close, status, read, write, truncate, lock, list, createDirectory, link, rename, remove

    /// The faults that tests set for a directory, by its path.
    ///
    /// A fault makes an operation fail before it is carried out.
    static let faults = Lock<[String: @Sendable (FileOperation, _ path: String) -> SystemError?]>([:])

    /// Carries out the operation with a call of the C library that returns `nil` for an error, again if a signal interrupts it.
    func perform<Result>(_ path: String, _ call: () -> Result?) throws(SystemError) -> Result {
        while true {
            let fault = fault(path)
            if fault == nil, let result = call() { return result }
            let failure = fault ?? .last
            if failure.number != EINTR { throw failure }
        }
    }

    /// Carries out the operation with a call whose negative results stand for errors.
    @discardableResult
    func perform(_ path: String, _ call: () -> Int) throws(SystemError) -> Int {
        try perform(path) { () -> Int? in
            let result = call()
            return result < 0 ? nil : result
        }
    }

    private func fault(_ path: String) -> SystemError? {
        let fault = Self.faults.withLock { faults in
            faults.isEmpty ? nil : faults.first { path.hasPrefix($0.key) }?.value
        }
        return fault?(self, path)
    }
}
