import Foundation
import Testing

@testable import StubbornNetwork

/// Bodies of requests that are streams.
struct BodyStreamTests {
    private let directory = TemporaryDirectory()

    @Test(arguments: [0, 1, 65_536, 200_001])
    func `a stream is read to its end, and closed`(count: Int) throws {
        let data = Data((0..<count).map { UInt8(truncatingIfNeeded: $0) })
        let stream = InputStream(data: data)
        #expect(try stream.readToEnd() == data)
        #expect(stream.streamStatus == .closed)
    }

    @Test func `the error of a stream that cannot be read is thrown`() throws {
        let stream = try #require(InputStream(fileAtPath: "\(directory.path)/none"))
        #expect(throws: (any Error).self) { try stream.readToEnd() }
    }
}
