import Foundation

/// The storage of a network's stubs.
///
///     StubbornNetwork(.ephemeral)
///     StubbornNetwork(.persistent(named: "testLogin", in: "Stubs"))
///     StubbornNetwork(.environment)
public struct StubbornNetworkConfiguration: Sendable {
    enum Kind: Sendable {
        case ephemeral
        case persistent(StubFileLocation)
        /// A name or a directory that no stub file can have.
        case unusable(name: String, directory: String)
        case environment
        case observing
    }

    let kind: Kind

    /// Stubs in memory: those declared in code and, in a recording mode, the real server's responses, until the network is
    /// freed.
    public static let ephemeral = Self(kind: .ephemeral)

    /// Stubs in the file that `STUB_NAME` and `STUB_PATH` name; in memory when neither is set.
    ///
    /// When only one of them is set, every request fails with an error that names the missing one.
    public static let environment = Self(kind: .environment)

    /// Stubs in memory, and an empty 200 for every request that no declared stub answers.
    ///
    /// Use it to assert on the requests that code makes. Nothing is recorded, and no packet leaves the process.
    public static let observing = Self(kind: .observing)

    /// Stubs in the stub file of a name, in a stub directory.
    ///
    ///     StubbornNetwork(.persistent(named: "testLogin", in: "Stubs"))
    ///
    /// The name and the directory are those of ``persistent(name:path:)``. If no stub file can have them, each request fails
    /// with an error that says so, and so does `loadStubs()`.
    public static func persistent(named name: String, in directory: String) -> Self {
        persistent(name: name, path: directory) ?? Self(kind: .unusable(name: name, directory: directory))
    }

    /// Stubs in a stub file, or `nil` if no file can have the name or the directory.
    ///
    /// The name is usually the test's: `-[LoginTests testLogin]` names the file `LoginTests_testLogin.json`. Every name
    /// stays inside the stub directory, whose path is absolute or relative to the current directory. Recording creates it.
    /// The result is `nil` when the name is empty without brackets and hyphens, or the path is empty.
    public static func persistent(name: String, path: String) -> Self? {
        StubFileLocation(name: name, path: path).map { Self(kind: .persistent($0)) }
    }
}
