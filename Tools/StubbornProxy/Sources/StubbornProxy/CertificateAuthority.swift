import Crypto
import Foundation
import NIOConcurrencyHelpers
import NIOSSL
import SwiftASN1
import X509

/// An authority that exists only in memory, and signs a certificate for each host that a client requests.
///
/// Its private key never leaves the process.
final class CertificateAuthority: Sendable {
    /// The authority's own certificate, which clients have to trust.
    let certificate: NIOSSLCertificate
    /// The same, as text.
    let pem: String

    private struct Leaf {
        let context: NIOSSLContext
        let expiry: Date
    }

    /// The lifetime of the authority, which is longer than any server runs.
    private static let lifetime: TimeInterval = 30 * 24 * 60 * 60
    /// The lifetime of a host's certificate; a new one is made when it ends.
    private static let leafLifetime: TimeInterval = 24 * 60 * 60
    /// The allowed difference between the clocks of the client and the proxy.
    private static let clockSkew: TimeInterval = 60 * 60

    private let key = P256.Signing.PrivateKey()
    /// All hosts share a key: it is as secret as the authority's.
    private let leafKey = P256.Signing.PrivateKey()
    private let name: DistinguishedName
    private let leaves = NIOLockedValueBox<[String: Leaf]>([:])

    /// Creates an authority with a new key.
    init() throws {
        name = try DistinguishedName {
            OrganizationName("The Stubborn Network")
            // Clients find an issuer by its name, and several proxies may run at once.
            CommonName("Stubborn proxy \(UUID().uuidString.prefix(8))")
        }
        let now = Date()
        let keyIdentifier = SubjectKeyIdentifier(hash: Certificate.PublicKey(key.publicKey))
        let root = try Certificate(
            version: .v3,
            serialNumber: Certificate.SerialNumber(),
            publicKey: Certificate.PublicKey(key.publicKey),
            notValidBefore: now - Self.clockSkew,
            notValidAfter: now + Self.lifetime,
            issuer: name,
            subject: name,
            signatureAlgorithm: .ecdsaWithSHA256,
            extensions: Certificate.Extensions {
                Critical(BasicConstraints.isCertificateAuthority(maxPathLength: 0))
                Critical(KeyUsage(keyCertSign: true, cRLSign: true))
                keyIdentifier
            },
            issuerPrivateKey: Certificate.PrivateKey(key)
        )
        let document = try root.serializeAsPEM()
        certificate = try NIOSSLCertificate(bytes: document.derBytes, format: .der)
        pem = document.pemString + "\n"
    }

    /// Returns the server's side of TLS for a host, which is a name or an address without brackets.
    func context(for host: String) throws -> NIOSSLContext {
        let now = Date()
        if let leaf = leaves.withLockedValue({ $0[host] }), leaf.expiry > now { return leaf.context }
        let authorityKey = Certificate.PublicKey(key.publicKey)
        let publicKey = Certificate.PublicKey(leafKey.publicKey)
        let certificate = try Certificate(
            version: .v3,
            serialNumber: Certificate.SerialNumber(),
            publicKey: publicKey,
            notValidBefore: now - Self.clockSkew,
            notValidAfter: now + Self.leafLifetime,
            issuer: name,
            // A common name has 64 characters at most. Clients read only the alternative names.
            subject: DistinguishedName { CommonName(String(host.prefix(64))) },
            signatureAlgorithm: .ecdsaWithSHA256,
            extensions: Certificate.Extensions {
                Critical(BasicConstraints.notCertificateAuthority)
                Critical(KeyUsage(digitalSignature: true))
                try ExtendedKeyUsage([.serverAuth])
                SubjectAlternativeNames(Self.alternativeNames(of: host))
                SubjectKeyIdentifier(hash: publicKey)
                AuthorityKeyIdentifier(keyIdentifier: SubjectKeyIdentifier(hash: authorityKey).keyIdentifier)
            },
            issuerPrivateKey: Certificate.PrivateKey(key)
        )
        var configuration = TLSConfiguration.makeServerConfiguration(
            certificateChain: [
                .certificate(try NIOSSLCertificate(bytes: certificate.serializeAsPEM().derBytes, format: .der))
            ],
            privateKey: .privateKey(
                try NIOSSLPrivateKey(bytes: Array(leafKey.derRepresentation), format: .der)
            )
        )
        configuration.applicationProtocols = ["http/1.1"]
        let context = try NIOSSLContext(configuration: configuration)
        // A client checks the time too, so a new certificate is made some time before the end.
        let leaf = Leaf(context: context, expiry: now + Self.leafLifetime - Self.clockSkew)
        leaves.withLockedValue { $0[host] = leaf }
        return context
    }

    private static func alternativeNames(of host: String) -> [GeneralName] {
        guard let address = IPAddress(host) else { return [.dnsName(host)] }
        // Clients with swift-nio-ssl compare the address of a server with the address of their connection, which is the proxy's.
        return [address.bytes, [127, 0, 0, 1]].map { .ipAddress(ASN1OctetString(contentBytes: $0[...])) }
    }
}

/// The bytes of an IP address.
struct IPAddress {
    let bytes: [UInt8]

    /// Reads an address without brackets; `nil` for the name of a host.
    init?(_ text: String) {
        var v4 = in_addr()
        var v6 = in6_addr()
        if inet_pton(AF_INET, text, &v4) == 1 {
            bytes = withUnsafeBytes(of: &v4) { Array($0) }
        } else if inet_pton(AF_INET6, text, &v6) == 1 {
            bytes = withUnsafeBytes(of: &v6) { Array($0) }
        } else {
            return nil
        }
    }
}
