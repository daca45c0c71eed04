import Foundation
import LoopbackServer
import Testing

@testable import StubbornNetwork
@testable import StubbornNetworkTooling

/// Bodies compressed by zlib, as Python has it, at every level and with every field of the gzip header.
struct CompressedBodyTests {
    private static let python = ["/usr/bin/python3", "/usr/local/bin/python3", "/opt/homebrew/bin/python3"]
        .first { FileManager.default.isExecutableFile(atPath: $0) }

    /// Prints a line for each body: its bytes, and the same compressed, in base64.
    ///
    /// The seed is the first argument.
    private static let program = """
        import base64, gzip, random, struct, sys, zlib
        r = random.Random(int(sys.argv[1]))
        words = ['token', 'user', '{"id":', '},', 'é', ' ', '\\n', 'aaaaaaaaaaaaaaaa', '0123456789']
        def body():
            kind, length = r.randrange(4), r.choice([0, 1, 2, 257, 258, 259, 1000, 4000, 40000])
            if kind == 0: return bytes(r.randrange(256) for _ in range(min(length, 4000)))
            if kind == 1: return (r.choice('ab') * length).encode()
            if kind == 2: return ''.join(r.choice(words) for _ in range(length // 4)).encode()
            return bytes(min(255, int(r.expovariate(0.05))) for _ in range(min(length, 4000)))
        for number in range(60):
            data = body()
            wbits = r.choice([31, 15, -15, 25])
            c = zlib.compressobj(r.randrange(10), zlib.DEFLATED, wbits, r.randrange(1, 10), r.randrange(5))
            out = c.compress(data[:len(data) // 2])
            if r.randrange(3) == 0: out += c.flush(r.choice([zlib.Z_SYNC_FLUSH, zlib.Z_FULL_FLUSH]))
            out += c.compress(data[len(data) // 2:]) + c.flush()
            if wbits > 15:
                flags = r.randrange(32) & ~2
                head = bytes([31, 139, 8, flags]) + struct.pack('<IBB', 1, 0, 255)
                if flags & 4: head += struct.pack('<H', 5) + b'extra'
                if flags & 8: head += b'name.json\\0'
                if flags & 16: head += b'a remark\\0'
                if r.randrange(2):
                    head = head[:3] + bytes([flags | 2]) + head[4:]
                    head += struct.pack('<H', zlib.crc32(head) & 65535)
                out = head + out[10:]
            print(base64.b64encode(data).decode() + ' ' + base64.b64encode(out).decode())
        """

    @Test(.enabled(if: python != nil), arguments: [1, 2, 3])
    func `what zlib has compressed is decompressed`(seed: Int) throws {
        let directory = TemporaryDirectory()
        try directory.write(Self.program, to: "compress.py")
        let process = try SpawnedProcess(
            URL(fileURLWithPath: try #require(Self.python)),
            [directory.file("compress.py").path, "\(seed)"],
            readsOutput: true
        )
        let output = String(decoding: process.output?.readDataToEndOfFile() ?? Data(), as: UTF8.self)
        let lines = output.split(separator: "\n")
        #expect(lines.count == 60, "seed \(seed)")
        for (number, line) in lines.enumerated() {
            let parts = line.split(separator: " ", omittingEmptySubsequences: false).map {
                Data(base64Encoded: String($0))
            }
            let (plain, compressed) = (try #require(parts[0]), try #require(parts[1]))
            let inflated = compressed.withBytes { Inflation.inflate($0) }
            #expect(inflated.map { Data($0) } == plain, "seed \(seed), body \(number)")
            let count = plain.count
            #expect(
                compressed.withBytes { Inflation.inflate($0, limit: count) }?.count == count,
                "seed \(seed), body \(number)"
            )
            if count > 0 {
                #expect(
                    compressed.withBytes { Inflation.inflate($0, limit: count - 1) } == nil,
                    "seed \(seed), body \(number)"
                )
            }
        }
    }
}
