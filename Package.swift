// swift-tools-version: 6.1
import PackageDescription

let package = Package(
    name: "the-stubborn-network",
    platforms: [.macOS(.v10_15), .iOS(.v13), .tvOS(.v13), .visionOS(.v1)],
    products: [
        .library(name: "StubbornNetwork", targets: ["StubbornNetwork"]),
        .library(name: "StubbornNetworkTesting", targets: ["StubbornNetworkTesting"]),
        .library(name: "StubbornNetworkTooling", targets: ["StubbornNetworkTooling"]),
        .plugin(name: "StubbornCommand", targets: ["StubbornCommand"]),
    ],
    targets: [
        .target(name: "StubbornNetwork"),
        .target(name: "StubbornNetworkTesting", dependencies: ["StubbornNetwork"]),
        .target(name: "StubbornNetworkTooling", dependencies: ["StubbornNetwork"]),
        .plugin(
            name: "StubbornCommand",
            capability: .command(
                intent: .custom(
                    verb: "stubborn",
                    description: "Shows, reviews, checks, converts and serves recordings."
                )
            )
        ),
        .target(name: "LoopbackServer", path: "Tests/Support"),
        .target(name: "TestProcess", path: "Tests/TestProcess"),
        .executableTarget(
            name: "process-under-test",
            dependencies: ["StubbornNetwork"],
            path: "Tests/ProcessUnderTest"
        ),
        .testTarget(
            name: "StubbornNetworkTests",
            dependencies: [
                "StubbornNetwork", "StubbornNetworkTooling", "LoopbackServer", "TestProcess", "process-under-test",
            ],
            exclude: ["StubFile/Corpus", "StubFile/Foreign", "Declaring/Fixtures", "Sockets/server.py"]
        ),
        .testTarget(
            name: "StubbornNetworkTestingTests",
            dependencies: [
                "StubbornNetworkTesting", "StubbornNetworkTooling", "LoopbackServer", "TestProcess",
                "process-under-test",
            ],
            exclude: ["Stubs", "Documentation/Stubs", "Documentation/RequestSnapshot", "RequestSnapshot"]
        ),
    ],
    swiftLanguageModes: [.v6]
)
