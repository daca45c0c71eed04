// swift-tools-version: 6.1
// An HTTPS proxy on the loopback interface that answers with stubs, for clients that are not `URLSession`.
// A test starts it in its own process; `stubborn record --proxy` and `stubborn serve --proxy` use it.
import PackageDescription

let package = Package(
    name: "StubbornProxy",
    platforms: [.macOS(.v13)],
    products: [
        .library(name: "StubbornProxy", targets: ["StubbornProxy"])
    ],
    dependencies: [
        .package(name: "the-stubborn-network", path: "../.."),
        .package(url: "https://github.com/apple/swift-asn1", from: "1.7.4"),
        .package(url: "https://github.com/apple/swift-certificates", from: "1.21.1"),
        .package(url: "https://github.com/apple/swift-crypto", "3.12.3"..<"5.0.0"),
        .package(url: "https://github.com/apple/swift-nio", from: "2.101.2"),
        .package(url: "https://github.com/apple/swift-nio-ssl", from: "2.37.6"),
        .package(url: "https://github.com/swift-server/async-http-client", from: "1.37.0"),
    ],
    targets: [
        .target(
            name: "StubbornProxy",
            dependencies: [
                .product(name: "StubbornNetwork", package: "the-stubborn-network"),
                .product(name: "StubbornNetworkTooling", package: "the-stubborn-network"),
                .product(name: "AsyncHTTPClient", package: "async-http-client"),
                .product(name: "Crypto", package: "swift-crypto"),
                .product(name: "NIOConcurrencyHelpers", package: "swift-nio"),
                .product(name: "NIOCore", package: "swift-nio"),
                .product(name: "NIOFoundationCompat", package: "swift-nio"),
                .product(name: "NIOHTTP1", package: "swift-nio"),
                .product(name: "NIOPosix", package: "swift-nio"),
                .product(name: "NIOSSL", package: "swift-nio-ssl"),
                .product(name: "NIOWebSocket", package: "swift-nio"),
                .product(name: "SwiftASN1", package: "swift-asn1"),
                .product(name: "X509", package: "swift-certificates"),
            ]
        )
    ],
    swiftLanguageModes: [.v6]
)
