// swift-tools-version: 6.1
// Stubs for HTTP clients of servers. Each adapter is a page to copy: Sources/StubbedHTTPClient contains the adapter for
// AsyncHTTPClient, and Sources/ServerClients those for Vapor and Soto.
import PackageDescription

let package = Package(
    name: "AsyncHTTPClientExample",
    platforms: [.macOS(.v14)],
    dependencies: [
        .package(name: "the-stubborn-network", path: "../.."),
        .package(path: "../../Tools", traits: ["Proxy"]),
        .package(path: "../../Tools/StubbornProxy"),
        .package(url: "https://github.com/swift-server/async-http-client", from: "1.37.0"),
        .package(url: "https://github.com/apple/swift-nio", from: "2.101.2"),
        .package(url: "https://github.com/apple/swift-nio-ssl", from: "2.37.6"),
        .package(url: "https://github.com/apple/swift-log", from: "1.16.2"),
        .package(url: "https://github.com/hummingbird-project/hummingbird", from: "2.28.1"),
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
        .target(
            name: "ServerClients",
            dependencies: [
                .product(name: "StubbornNetwork", package: "the-stubborn-network"),
                .product(name: "Logging", package: "swift-log"),
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
        // The proxy for code that takes `HTTPClient` itself. Its tests are here because its dependencies are built here.
        .testTarget(
            name: "StubbornProxyTests",
            dependencies: [
                "LoopbackServer",
                .product(name: "stubborn", package: "Tools"),
                .product(name: "StubbornProxy", package: "StubbornProxy"),
                .product(name: "StubbornNetworkTesting", package: "the-stubborn-network"),
                .product(name: "AsyncHTTPClient", package: "async-http-client"),
                .product(name: "NIOConcurrencyHelpers", package: "swift-nio"),
                .product(name: "NIOCore", package: "swift-nio"),
                .product(name: "NIOHTTP1", package: "swift-nio"),
                .product(name: "NIOPosix", package: "swift-nio"),
                .product(name: "NIOSSL", package: "swift-nio-ssl"),
                .product(name: "NIOWebSocket", package: "swift-nio"),
            ]
        ),
        .testTarget(
            name: "ServerClientTests",
            dependencies: [
                "ServerClients", "StubbedHTTPClient", "LoopbackServer",
                .product(name: "StubbornNetworkTesting", package: "the-stubborn-network"),
                .product(name: "Hummingbird", package: "hummingbird"),
                .product(name: "HummingbirdTesting", package: "hummingbird"),
                .product(name: "NIOConcurrencyHelpers", package: "swift-nio"),
                .product(name: "NIOPosix", package: "swift-nio"),
            ]
        ),
    ]
)
