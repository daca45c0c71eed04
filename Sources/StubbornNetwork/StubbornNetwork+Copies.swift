import Foundation

extension StubbornNetwork {
    /// Writes a warning once, if this process contains another copy of the library.
    static let warnOfOtherCopy: Void = {
        // Classes of the same name are allowed. Only one of them is found by its name.
        guard let text = warning(found: NSClassFromString(String(reflecting: StubbornNetwork.self))) else { return }
        StandardError.write(text)
    }()

    /// Returns the warning for a class that has the name of this one; `nil` if it is this one.
    static func warning(found: AnyClass?) -> String? {
        guard let found, found != StubbornNetwork.self else { return nil }
        let names = [found, StubbornNetwork.self].map { Bundle(for: $0).bundleURL.lastPathComponent }
        return """
            warning: this process contains the library twice, in \(names[0]) and in \(names[1]). Each copy has its own \
            StubbornNetwork.standard and its own interceptions. Link the library into one of them only.
            """
    }
}
