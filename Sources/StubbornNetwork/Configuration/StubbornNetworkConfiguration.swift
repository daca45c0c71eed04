import Foundation

/// Where a network keeps its stubs.
///
///     StubbornNetwork(.ephemeral)
///     StubbornNetwork(.persistent(name: "testLogin", path: "Stubs")!)
///     StubbornNetwork(.environment)
public struct StubbornNetworkConfiguration: Sendable {
    enum Kind: Sendable {
        case ephemeral
        case persistent(StubFileLocation)
        case environment
        case observing
    }

    let kind: Kind

    /// In memory: stubs declared in code and, in a recording mode, what the real server answered, until the network goes.
    public static let ephemeral = Self(kind: .ephemeral)

    /// As the environment says: in the stub file that `STUB_NAME` and `STUB_PATH` name, in memory when both are unset.
    ///
    /// One without the other fails every request with an error that names the missing one.
    public static let environment = Self(kind: .environment)

    /// In memory, answering every request that no declared stub answers with an empty 200: for asserting on the requests
    /// that code makes. Nothing is recorded and no packet leaves the process.
    public static let observing = Self(kind: .observing)

    /// In a stub file.
    ///
    /// - Parameters:
    ///   - name: the stub file's name without extension, usually the test's. `-[LoginTests testLogin]` names the file
    ///     `LoginTests_testLogin.json`; every name lands inside the directory.
    ///   - path: the stub directory, absolute or from the current directory. It is created when something is recorded.
    /// - Returns: `nil` when the name, or what is left of it without brackets and hyphens, is empty, or the path is.
    public static func persistent(name: String, path: String) -> Self? {
        StubFileLocation(name: name, path: path).map { Self(kind: .persistent($0)) }
    }
}
