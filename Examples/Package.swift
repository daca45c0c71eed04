// swift-tools-version: 6.1
// Programs that show The Stubborn Network at work, and the tests that such programs would have.
import PackageDescription

let stubbornNetwork = Target.Dependency.product(name: "StubbornNetwork", package: "the-stubborn-network")
let stubbornNetworkTesting = Target.Dependency.product(
    name: "StubbornNetworkTesting",
    package: "the-stubborn-network"
)

let package = Package(
    name: "Examples",
    platforms: [.macOS(.v13)],
    products: [
        .executable(name: "bytes", targets: ["bytes"]),
        .executable(name: "example-server", targets: ["example-server"]),
    ],
    dependencies: [
        .package(name: "the-stubborn-network", path: ".."),
        .package(url: "https://github.com/swhitty/FlyingFox", from: "0.27.1"),
        .package(url: "https://github.com/apple/swift-argument-parser", from: "1.8.2"),
    ],
    targets: [
        .target(name: "BooksKit"),
        .testTarget(
            name: "BooksKitTests",
            dependencies: ["BooksKit", stubbornNetworkTesting],
            exclude: ["Stubs", "RequestSnapshot"]
        ),
        .executableTarget(
            name: "bytes",
            dependencies: [
                "BytesKit",
                stubbornNetwork,
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
            ]
        ),
        .target(name: "BytesKit"),
        .executableTarget(name: "example-server", dependencies: ["ExampleServer"]),
        .target(
            name: "ExampleServer",
            dependencies: [
                .product(name: "FlyingFox", package: "FlyingFox"),
                .product(name: "FlyingSocks", package: "FlyingFox"),
            ]
        ),
        .target(name: "TickerKit", dependencies: [stubbornNetwork]),
        .testTarget(
            name: "TickerKitTests",
            dependencies: ["TickerKit", "ExampleServer", stubbornNetworkTesting],
            exclude: ["Stubs"]
        ),
        .testTarget(
            name: "ExamplesTests",
            dependencies: [
                "BooksKit", "BytesKit", "ExampleServer", "bytes", stubbornNetwork, stubbornNetworkTesting,
            ],
            exclude: ["Features/Fixtures"]
        ),
    ],
    swiftLanguageModes: [.v6]
)
