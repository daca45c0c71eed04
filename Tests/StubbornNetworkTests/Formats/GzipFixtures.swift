import Foundation
import Testing

/// Texts, and what the program gzip 1.12 made of them: `printf %s "$text" | gzip -9 -n -c | base64`.
///
/// Unlike the library's own gzip, it compresses: `users` and `placeholder` have a Huffman code of their own for each block,
/// `short` has the fixed one, and `long` has copies of up to 258 bytes.
enum GzipFixtures {
    struct Fixture: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let text: String
        let gzip: Data

        init(_ name: String, _ text: String, _ base64: String) {
            (testDescription, self.text, gzip) = (name, text, Data(base64Encoded: base64) ?? Data())
        }

        /// The compressed data, without the header of 10 bytes and the trailer of 8 (RFC 1952).
        var deflate: Data { Data(gzip.dropFirst(10).dropLast(8)) }

        /// The same with optional parts in its header, in the order of RFC 1952, section 2.3.
        ///
        /// The bits of `flags` are, from 1 on: text, checksum of the header, extra field, file name, comment.
        func gzip(flags: UInt8) -> Data {
            var header = gzip.prefix(10)
            header[3] = flags
            if flags & 4 != 0 { header += [4, 0, 0x41, 0x42, 0, 0x1F] }
            if flags & 8 != 0 { header += Data("users.json\0".utf8) }
            if flags & 16 != 0 { header += Data("a comment\0".utf8) }
            if flags & 2 != 0 { header += [0x1F, 0x8B] }
            return header + gzip.dropFirst(10)
        }
    }

    /// The token in `users`.
    static let token = "k3Jx9vQz7Lm2Np4R"

    /// The token in `placeholder`.
    static let placeholderText = "REDACTED-access_token-1"

    private static func users(token: String) -> String {
        let users = (0..<12).map { number in
            let score = "\(number * 31 % 97).\(number * 17 % 10)"
            return #"{"id":\#(number * 7919 % 1000),"name":"user \#(number)","email":"u\#(number)@example.com","#
                + #""score":\#(score)}"#
        }
        return #"{"users":[\#(users.joined(separator: ","))],"access_token":"\#(token)"}"#
    }

    static let all = [users, usersFast, placeholder, short, long]

    static let users = Fixture(
        "a list of users",
        users(token: token),
        """
        H4sIAAAAAAACA3XSTUsDMRCA4b8iOS9DJpOv2VPPIoJeRWRZcyjtdku3lWLpf3dVopmSvU4yDwy8F3Wa0mFS7ctFrd9Vqxu164ak\
        2p/5nVaNSkO33n4P9Cqdu2G/TdCPw/ww9eNh/qlBX5vfbUaW+1juY32fEEIGIkUJmBIwdcAbsBkILkiASoDqABNgBnzwErAlYOuA\
        CRAz4NhJwJWAqwMugvsD0ErAl4CvA5HBZMASSSCUQFg4gYAzQM5IIJZAXDjBgs+ACSgBLgFeOMEBZQD5JkQUJeJCisj/LaK+bVHG\
        uFCj03ONr43q+j5N09tx3KTd/H9D92f+ePoMD4N53Ntndf0C2TS5KjoDAAA=
        """
    )

    /// Made with `gzip -1`.
    static let usersFast = Fixture(
        "a list of users, compressed fast",
        users(token: token),
        """
        H4sIAAAAAAAEA3XST0sDMRCH4a8iOS9DJpN/s6eeRQS9isiy5lDadEtXpVj63V2VaKak10l+z+k9qfc5HWbVP53U+lX1ulO7ISfV\
        /9xvtOpUysN6+33Qq3Qc8n6bYJzy8jCP02H5qUGfu981I8s91nts7wkhFCBSlICpAdMGvAFbgOCCBKgGqA0wARbABy8BWwO2DZgA\
        sQCOnQRcDbg24CK4PwCtBHwN+DYQGUwBLJEEQg2ENmAIuADkjARiDcQ24Cz4ApiAEuAa4DYQHVABkC9CRFEiXkkR+b9F1Jctyhiv\
        1Oj0UuNzp4ZxTPP88jZt0m6Jf0O3R/54+Ax32dzv7aM6fwHZNLkqOgMAAA==
        """
    )

    static let placeholder = Fixture(
        "a list of users with a placeholder",
        users(token: placeholderText),
        """
        H4sIAAAAAAACA3XSzUoDMRDA8VeRnLdDJt/Zk6XtC4g3EVnWHEq7XWkUhNJ3d1WiMyW5TjI/GPhfxEdO5yz6p4vYv4peduI0TEn0\
        P/M7KTqRpmF//B7I+/Q5TG/HBOM8LQ95nM/LTwny2v1uR4x8H+k+1vc1gi9A0IEDigKqDjgFpgDeeg5oCug6EDVgAZx3HDAUMHVA\
        eQgFsNFywFLA1gEbwP4BaDjgKODqQIigCmC05oCngG+coCEWQFvFgUCB0DjBgCuA8siBSIHYOMGCLgDGmxCRlYiNFDH+t4jytkUe\
        Y6NGK5canzsxjGPK+eV9PqTT8v9ht11vHnfbFZ2vUFy/AKqbSiBBAwAA
        """
    )

    static let short = Fixture("a word", "hello", "H4sIAAAAAAACA8tIzcnJBwCGphA2BQAAAA==")

    static let long = Fixture(
        "a long text",
        String(repeating: "stubborn ", count: 20_000),
        """
        H4sIAAAAAAACA+3GMQ0AMAgAMCtoQwBLxvCPjiXt1X6TeW5Fi4iIiIiIiIiIiIiIiIiIiIiIiIiIiIiIiIiIiIiIiIiIiIiIiIiI\
        iIiIiIiIiIiIiIiIiIiIiIiIiIiIiIiIiIiIiIiIiIiIiIiIiIiIiIiIiIiIiIiIiIiIiIiIiIiIiIiIiIiIiIiIiIiIiIiIiIiI\
        iIiIiIiIiIiIiIiIiIiIiIiIiIiIiIiIiIiIiIiIiIiIiIiIiIiIiIiIiIiIiIiIiIiIiIiIiIiIiIiIiIiIiIiIiIiIiIiIiIiI\
        iIiIiIiIiIiIiIiIiIiIiIiIiIiIiIiIiIiIiIiIiIiIiIiIiIiIiIiIiIiIiIiIiIiIiIiIiIiIiIiIiIiIiIiIiIiIiIiIiIiI\
        iIiIiIiIiIiIiIiIiIiIiIiIiIiIiIiIiIiIiIiIiIiIiIiIiIiIiIiIiIiIiIiIiIiIiIiIiIiIiIiIiIiIiIiIiIiIiIiIiIiI\
        iIiIiIiIiIiIyA9ZNBmQ/CC/AgA=
        """
    )
}
