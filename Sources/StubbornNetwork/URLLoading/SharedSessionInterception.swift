import Foundation

/// A network's interception of `URLSession.shared`.
///
/// It is created by `interceptSharedSession()`.
public final class SharedSessionInterception: Sendable {
    /// The interception of the running task.
    @TaskLocal static var ofTask: SharedSessionInterception?

    let number: Int
    let name: String

    init(_ engine: Engine, name: String, isFallback: Bool = false) {
        self.name = name
        number = SharedSessionInterceptions.shared.begin(engine, name: name, isFallback: isFallback)
    }

    /// Ends the interception.
    ///
    /// Requests that have been started are still answered. Later calls do nothing.
    public func end() {
        SharedSessionInterceptions.shared.end(number)
    }
}
