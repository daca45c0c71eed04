import Foundation

/// The storage of a network's stubs.
///
///     StubbornNetwork(.ephemeral)
///     StubbornNetwork(.persistent(named: "testLogin", in: "Stubs"))
///     StubbornNetwork(.environment)
public struct StubbornNetworkConfiguration: Sendable {
    package enum Kind: Sendable {
        case ephemeral
        /// The network's own stub file, and those that it shares.
        case persistent([StubFileLocation])
        /// A name or a directory that no stub file can have.
        case unusable(StubbornNetworkError)
        case environment
        case observing
    }

    let kind: Kind

    package init(kind: Kind) { self.kind = kind }

    /// Stubs in memory: those declared in code and, in a recording mode, the real server's responses, until the network is
    /// freed.
    public static let ephemeral = Self(kind: .ephemeral)

    /// Stubs in the file that `STUB_NAME` and `STUB_PATH` specify; in memory if neither is set.
    ///
    /// `STUB_NAME` may also list files that the network shares, after its own file and a colon:
    /// `LoginTests_list:Login`. If only one of them is set, every request fails with an error that shows the missing
    /// one.
    public static let environment = Self(kind: .environment)

    /// Stubs in memory, and an empty 200 for every request that no declared stub answers.
    ///
    /// Use it to assert on the requests that code makes. Nothing is recorded, and no packet leaves the process.
    public static let observing = Self(kind: .observing)

    /// Stubs in the stub file with a name, in a stub directory.
    ///
    ///     StubbornNetwork(.persistent(named: "testLogin", in: "Stubs"))
    ///
    /// The name is usually the test's: `-[LoginTests testLogin]` gives the file `LoginTests_testLogin.json`. Every name
    /// stays inside the stub directory. Recording creates the directory.
    ///
    /// The name must contain something besides brackets and hyphens, and the path must not be empty. Otherwise, each
    /// request and `loadStubs()` fail with an explanatory error.
    ///
    /// - Parameters:
    ///   - name: The name of the stub file.
    ///   - directory: The path of the stub directory, absolute or relative to the current directory.
    ///   - shared: The names of stub files in the same directory that the network shares with other tests. They answer
    ///     requests that the network's own file does not answer. Their exchanges are not recorded into its own file,
    ///     and they are never written to.
    /// - Returns: The configuration.
    public static func persistent(named name: String, in directory: String, sharing shared: [String] = []) -> Self {
        do throws(StubbornNetworkError) {
            let locations = try ([name] + shared).map { name throws(StubbornNetworkError) in
                try StubFileLocation(name: name, path: directory)
            }
            return Self(kind: .persistent(locations))
        } catch {
            return Self(kind: .unusable(error))
        }
    }

    /// The error for a name or a directory that no stub file can have; `nil` if they can be used.
    package var problem: StubbornNetworkError? { if case .unusable(let error) = kind { error } else { nil } }
}
