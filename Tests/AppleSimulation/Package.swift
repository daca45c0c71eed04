// swift-tools-version: 6.1
// The library as Apple's platforms see it, on Linux: built with the branches for Apple's URL loading, which the tests drive as
// CFNetwork does. Start with `swift test --package-path Tests/AppleSimulation`.
import PackageDescription

let package = Package(
    name: "AppleSimulation",
    platforms: [.macOS(.v15)],
    targets: [
        // Both are symbolic links to the sources of the root package.
        .target(name: "StubbornNetwork", swiftSettings: [.define("SIMULATES_APPLE")]),
        .target(name: "LoopbackServer"),
        .testTarget(name: "AppleSimulationTests", dependencies: ["StubbornNetwork", "LoopbackServer"]),
    ],
    swiftLanguageModes: [.v6]
)
