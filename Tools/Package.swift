// swift-tools-version: 6.1
// The `stubborn` command, for work with existing recordings. Start with `swift run --package-path Tools stubborn --help`.
import PackageDescription

let package = Package(
    name: "Tools",
    platforms: [.macOS(.v13)],
    products: [
        .executable(name: "stubborn", targets: ["stubborn"])
    ],
    traits: [
        .trait(
            name: "Proxy",
            description: "The option --proxy of 'stubborn record' and 'stubborn serve'. It needs minutes to build."
        )
    ],
    // Exact versions: everybody builds the same command.
    dependencies: [
        .package(name: "the-stubborn-network", path: ".."),
        .package(path: "StubbornProxy"),
        .package(url: "https://github.com/apple/swift-argument-parser", exact: "1.8.2"),
        .package(url: "https://github.com/swhitty/FlyingFox", exact: "0.27.1"),
        .package(url: "https://github.com/hummingbird-project/swift-mustache", exact: "2.1.1"),
        .package(url: "https://github.com/onevcat/Rainbow", exact: "4.2.2"),
        .package(url: "https://github.com/jpsim/Yams", exact: "6.2.2"),
    ],
    targets: [
        // The comparison of exchanges with an OpenAPI document; it knows nothing about stub files.
        .target(
            name: "OpenAPI",
            dependencies: [
                .product(name: "StubbornNetworkTooling", package: "the-stubborn-network"),
                .product(name: "Yams", package: "Yams"),
            ]
        ),
        // The system calls of `stubborn offline` on Linux, some of which Swift cannot make.
        .target(name: "OfflineProcess"),
        .executableTarget(
            name: "stubborn",
            dependencies: [
                "OpenAPI", "OfflineProcess",
                .product(name: "StubbornNetwork", package: "the-stubborn-network"),
                .product(name: "StubbornNetworkTooling", package: "the-stubborn-network"),
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
                .product(name: "FlyingFox", package: "FlyingFox"),
                .product(name: "FlyingSocks", package: "FlyingFox"),
                .product(name: "Mustache", package: "swift-mustache"),
                .product(name: "Rainbow", package: "Rainbow"),
                .product(name: "StubbornProxy", package: "StubbornProxy", condition: .when(traits: ["Proxy"])),
            ],
            resources: [
                .embedInCode("Commands/agents.md"),
                .embedInCode("Page/page.mustache"),
                .embedInCode("Page/page.css"),
                .embedInCode("Page/page.js"),
                .embedInCode("Page/mutations.mustache"),
            ]
        ),
        .testTarget(
            name: "StubbornToolTests",
            dependencies: ["stubborn", "OpenAPI"],
            // These files are read in their folder.
            exclude: ["Archives", "OpenAPI/Shop.yaml"]
        ),
    ],
    swiftLanguageModes: [.v6]
)
