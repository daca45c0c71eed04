// swift-tools-version: 6.1
// Small mistakes put into the sources on purpose, to see which of them the tests find. Start with `.ci/mutate`.
import PackageDescription

// `.ci/mutate` passes the folder of the toolchain's swift-syntax, if there is one: building it takes minutes.
let toolchain = Context.environment["SWIFT_SYNTAX_OF_TOOLCHAIN"]
let modules = ["SwiftSyntax", "SwiftParser", "SwiftOperators"]
let settings: [SwiftSetting] = toolchain.map { [.unsafeFlags(["-I", $0])] } ?? []

let package = Package(
    name: "mutations",
    platforms: [.macOS(.v13)],
    dependencies: [
        .package(url: "https://github.com/apple/swift-argument-parser", from: "1.8.2")
    ] + (toolchain == nil ? [.package(url: "https://github.com/swiftlang/swift-syntax", from: "602.0.0")] : []),
    targets: [
        .target(
            name: "Mutations",
            dependencies: toolchain == nil ? modules.map { .product(name: $0, package: "swift-syntax") } : [],
            swiftSettings: settings,
            linkerSettings: toolchain.map {
                [.unsafeFlags(["-L", $0, "-Xlinker", "-rpath", "-Xlinker", $0] + modules.map { "-l\($0)" })]
            } ?? []
        ),
        .executableTarget(
            name: "mutate",
            dependencies: ["Mutations", .product(name: "ArgumentParser", package: "swift-argument-parser")],
            swiftSettings: settings
        ),
        .testTarget(name: "MutationsTests", dependencies: ["Mutations"], swiftSettings: settings),
    ],
    swiftLanguageModes: [.v6]
)
