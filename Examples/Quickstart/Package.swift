// swift-tools-version: 6.1
// `swift run --package-path Examples/Quickstart` needs nothing but this repository and a Swift toolchain.
import PackageDescription

let package = Package(
    name: "Quickstart",
    platforms: [.macOS(.v13)],
    dependencies: [.package(name: "the-stubborn-network", path: "../..")],
    targets: [
        .executableTarget(
            name: "quickstart",
            dependencies: [.product(name: "StubbornNetwork", package: "the-stubborn-network")],
            path: "Sources"
        ),
        .testTarget(name: "QuickstartTests", dependencies: ["quickstart"], path: "Tests"),
    ],
    swiftLanguageModes: [.v6]
)
