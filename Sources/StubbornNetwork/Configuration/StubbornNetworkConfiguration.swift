import Foundation

/// The storage of a network's stubs.
///
///     StubbornNetwork(.ephemeral)
///     StubbornNetwork(.persistent(named: "testLogin", in: "Stubs"))
///     StubbornNetwork(.environment)
public struct StubbornNetworkConfiguration: Sendable {
    package enum Kind: Sendable {
        case ephemeral
        case persistent(StubFileLocation, sharing: [StubFileLocation])
        /// A name or a directory that no stub file can have.
        case unusable(name: String, directory: String)
        case environment
        case observing
    }

    let kind: Kind

    package init(kind: Kind) { self.kind = kind }

    /// Stubs in memory: those declared in code and, in a recording mode, the real server's responses, until the network is
    /// freed.
    public static let ephemeral = Self(kind: .ephemeral)

    /// Stubs in the file that `STUB_NAME` and `STUB_PATH` name; in memory when neither is set.
    ///
    /// `STUB_NAME` may name files that the network shares, after its own and a colon: `LoginTests_list:Login`.
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
    /// The name and the directory are those of ``persistent(name:path:sharing:)``. If no stub file can have them, each request
    /// fails with an error that says so, and so does `loadStubs()`.
    ///
    /// - Parameters:
    ///   - name: The name of the stub file.
    ///   - directory: The path of the stub directory.
    ///   - shared: The names of stub files in the same directory that the network shares with others.
    /// - Returns: The configuration.
    public static func persistent(named name: String, in directory: String, sharing shared: [String] = []) -> Self {
        if let configuration = persistent(name: name, path: directory, sharing: shared) { return configuration }
        let unusable = ([name] + shared).first { StubFileLocation(name: $0, path: directory) == nil }
        return Self(kind: .unusable(name: unusable ?? name, directory: directory))
    }

    /// Stubs in a stub file, or `nil` if no file can have the name or the directory.
    ///
    /// The name is usually the test's: `-[LoginTests testLogin]` names the file `LoginTests_testLogin.json`. Every name
    /// stays inside the stub directory, whose path is absolute or relative to the current directory. Recording creates it.
    ///
    /// - Parameters:
    ///   - name: The name of the stub file.
    ///   - path: The path of the stub directory.
    ///   - shared: The names of stub files in the same directory that the network shares with others. They answer what its
    ///     own file does not. What they have is not recorded into its own file, and nothing is recorded into them.
    /// - Returns: The configuration; `nil` when a name is empty without brackets and hyphens, or the path is empty.
    public static func persistent(name: String, path: String, sharing shared: [String] = []) -> Self? {
        let files = shared.compactMap { StubFileLocation(name: $0, path: path) }
        guard let own = StubFileLocation(name: name, path: path), files.count == shared.count else { return nil }
        return Self(kind: .persistent(own, sharing: files))
    }
}
