// swift-tools-version: 6.1
// Small mistakes put into the sources on purpose, to see which of them the tests find. Start with `.ci/mutate`.
import PackageDescription

let package = Package(
    name: "mutations",
    platforms: [.macOS(.v13)],
    dependencies: [
        .package(url: "https://github.com/swiftlang/swift-syntax", from: "602.0.0"),
        .package(url: "https://github.com/apple/swift-argument-parser", from: "1.8.2"),
    ],
    targets: [
        .target(
            name: "Mutations",
            dependencies: [
                .product(name: "SwiftSyntax", package: "swift-syntax"),
                .product(name: "SwiftParser", package: "swift-syntax"),
                .product(name: "SwiftOperators", package: "swift-syntax"),
            ]
        ),
        .executableTarget(
            name: "mutate",
            dependencies: ["Mutations", .product(name: "ArgumentParser", package: "swift-argument-parser")]
        ),
        .testTarget(name: "MutationsTests", dependencies: ["Mutations"]),
    ],
    swiftLanguageModes: [.v6]
)
