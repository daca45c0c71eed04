// swift-tools-version: 6.1
// Stubs for AsyncHTTPClient: the adapter is Sources/StubbedHTTPClient, a page to copy.
import PackageDescription

let package = Package(
    name: "AsyncHTTPClientExample",
    platforms: [.macOS(.v13)],
    dependencies: [
        .package(name: "the-stubborn-network", path: "../.."),
        .package(url: "https://github.com/swift-server/async-http-client", from: "1.37.0"),
        .package(url: "https://github.com/apple/swift-nio", from: "2.101.2"),
    ],
    targets: [
        .target(
            name: "StubbedHTTPClient",
            dependencies: [
                .product(name: "StubbornNetwork", package: "the-stubborn-network"),
                .product(name: "AsyncHTTPClient", package: "async-http-client"),
                .product(name: "NIOCore", package: "swift-nio"),
                .product(name: "NIOFoundationCompat", package: "swift-nio"),
                .product(name: "NIOHTTP1", package: "swift-nio"),
            ]
        ),
        // A link to the server of the library's own tests.
        .target(name: "LoopbackServer"),
        .testTarget(
            name: "StubbedHTTPClientTests",
            dependencies: [
                "StubbedHTTPClient", "LoopbackServer",
                .product(name: "StubbornNetworkTesting", package: "the-stubborn-network"),
            ]
        ),
    ]
)
