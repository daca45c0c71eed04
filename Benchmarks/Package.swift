// swift-tools-version: 6.1
// The speed and the memory use of The Stubborn Network, as ratios that apply to any machine.
// Start with `swift run -c release --package-path Benchmarks figures`.
import Foundation
import PackageDescription

/// Another recorder that is measured too: `SWIFT_VCR` is the path of its checkout.
let peer = Context.environment["SWIFT_VCR"].map { path in
    (package: Package.Dependency.package(path: path), name: URL(fileURLWithPath: path).lastPathComponent)
}

let package = Package(
    name: "Benchmarks",
    platforms: [.macOS(.v15)],
    products: [
        .executable(name: "figures", targets: ["figures"])
    ],
    dependencies: [
        .package(name: "the-stubborn-network", path: ".."),
        .package(url: "https://github.com/google/swift-benchmark", from: "0.1.2"),
        .package(url: "https://github.com/swhitty/FlyingFox", from: "0.27.1"),
        .package(url: "https://github.com/apple/swift-argument-parser", from: "1.8.2"),
    ] + (peer.map { [$0.package] } ?? []),
    targets: [
        .executableTarget(
            name: "figures",
            dependencies: [
                .product(name: "StubbornNetwork", package: "the-stubborn-network"),
                .product(name: "Benchmark", package: "swift-benchmark"),
                .product(name: "FlyingFox", package: "FlyingFox"),
                .product(name: "FlyingSocks", package: "FlyingFox"),
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
            ] + (peer.map { [.product(name: "VCR", package: $0.name)] } ?? [])
        )
    ],
    swiftLanguageModes: [.v6]
)
