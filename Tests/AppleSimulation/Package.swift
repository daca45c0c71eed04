// swift-tools-version: 6.1
// The library as Apple's platforms see it, on Linux: built with the branches for Apple's URL loading, which the tests drive as
// CFNetwork does. Start with `swift test --package-path Tests/AppleSimulation`.
import PackageDescription

let package = Package(
    name: "AppleSimulation",
    platforms: [.macOS(.v15)],
    targets: [
        // `Library` is a symbolic link to the sources of the root package. `AppleFoundation` is what Apple's Foundation has and
        // the one of Linux has not, or does otherwise.
        .target(name: "StubbornNetwork", swiftSettings: [.define("SIMULATES_APPLE")]),
        // Symbolic links, too.
        .target(name: "StubbornNetworkTesting", dependencies: ["StubbornNetwork"]),
        .target(name: "LoopbackServer"),
        .testTarget(name: "AppleSimulationTests", dependencies: ["StubbornNetworkTesting", "LoopbackServer"]),
    ],
    swiftLanguageModes: [.v6]
)
