import Foundation
import Testing

@testable import StubbornNetwork

/// Tests with stub files in the shapes of an earlier implementation.
///
/// They have `responseData` instead of `data`, escaped slashes, `null` for no body, and decoded bodies under
/// `Content-Encoding: gzip`. Those in the folder `Foreign` were made for these tests.
///
/// `STUBBORN_NETWORK_FOREIGN_STUB_FILES` names a folder of further ones, recorded for an app that shipped. They are not
/// part of this repository.
struct ForeignStubFileTests {
    private static let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
        .appendingPathComponent("Foreign")

    static let files: [URL] = {
        let further = ProcessInfo.processInfo.environment["STUBBORN_NETWORK_FOREIGN_STUB_FILES"]
        return ([folder] + (further.map { [URL(fileURLWithPath: $0)] } ?? [])).flatMap { folder in
            let names = (try? FileManager.default.contentsOfDirectory(atPath: folder.path)) ?? []
            return names.filter { $0.hasSuffix(".json") }.sorted().map { folder.appendingPathComponent($0) }
        }
    }()

    @Test func `the foreign stub files are found`() {
        let names = Self.files.map(\.lastPathComponent)
        #expect(names.starts(with: ["FerryUITests_testHarbourSearch.json", "FerryUITests_test_booking.json"]))
    }

    @Test(arguments: files)
    func `every stub loads, with the body that Foundation reads`(file: URL) throws {
        let data = try Data(contentsOf: file)
        let entries = try StubFileDocument(data, file: file).entries
        let expected = try #require(try JSONSerialization.jsonObject(with: data) as? [[String: Any]])
        #expect(!entries.isEmpty && entries.count == expected.count)
        for (entry, expected) in zip(entries, expected) {
            let request = try #require(expected["request"] as? [String: Any])
            let response = try #require(expected["response"] as? [String: Any])
            #expect(entry.stub.request.url.absoluteString == request["url"] as? String)
            #expect(entry.stub.request.method == request["method"] as? String)
            #expect(entry.stub.request.body == Self.body(request["requestData"]))
            #expect(entry.stub.response.head?.statusCode == response["statusCode"] as? Int)
            #expect(entry.stub.response.bytes == Self.body(expected["data"] ?? response["responseData"]))
            let requestFields = entry.stub.request.headerFields.map { "\($0.name)[:::]\($0.value)" }
            #expect(requestFields == request["headerFields"] as? [String])
            let fields = entry.stub.response.head?.headerFields.map { "\($0.name)[:::]\($0.value)" }
            #expect(fields == response["headerFields"] as? [String])
        }
    }

    @Test(arguments: files)
    func `every stub is written again byte for byte`(file: URL) throws {
        let data = try Data(contentsOf: file)
        let document = try StubFileDocument(data, file: file)
        let again = try StubFileDocument(document.data, file: file)
        #expect(again.entries == document.entries)
        #expect(again.entries.map(\.stub) == document.entries.map(\.stub))
        for entry in document.entries {
            #expect(data.range(of: entry.json) != nil)
        }
    }

    private static func body(_ value: Any?) -> Data? { (value as? String).flatMap { Data(base64Encoded: $0) } }

    // MARK: Playing back

    private func network(_ name: String) throws -> StubbornNetwork {
        let configuration = StubbornNetworkConfiguration.persistent(name: name, path: Self.folder.path)
        return StubbornNetwork(try #require(configuration), environment: [:])
    }

    /// A call of the ferry's service, as the app makes it.
    private func call(_ action: String, _ content: String) -> URLRequest {
        var request = URLRequest(url: URL(string: "https://ferry.example.com/services/BookingSvc.asmx")!)
        request.httpMethod = "POST"
        request.setValue("text/xml; charset=utf-8", forHTTPHeaderField: "Content-Type")
        request.setValue("http://ferry.example.com/services/\(action)", forHTTPHeaderField: "SOAPAction")
        request.httpBody = Data(
            """
            <?xml version="1.0" encoding="utf-8"?>
            <soap:Envelope xmlns:soap="http://schemas.xmlsoap.org/soap/envelope/">
                <soap:Body><\(action) xmlns="http://ferry.example.com/services">\(content)</\(action)></soap:Body>
            </soap:Envelope>

            """.utf8
        )
        return request
    }

    @Test func `a call that was recorded several times gets its answers one after the other`() async throws {
        let session = try network("FerryUITests_test_booking").session
        let sailing = call("GetSailing", "<harbour>Föhr</harbour>")
        let booking = call("BookPlace", "<harbour>Föhr</harbour><name>Åse Grün</name>")
        var seen: [String] = []
        for request in [sailing, booking, sailing, booking, sailing] {
            let (data, response) = try await session.data(for: request)
            let text = String(decoding: data, as: UTF8.self)
            seen.append("\(response.status ?? 0) \(text.split(separator: "\n")[2].dropFirst(4))")
            #expect(response.field("Content-Encoding") == nil)
            #expect(response.field("Content-Length").map { $0 == "\(data.count)" } != false)
        }
        func left(_ count: Int) -> String {
            """
            200 <soap:Body><GetSailingResponse><harbour>Föhr</harbour><ship>Süderoog</ship>\
            <placesLeft>\(count)</placesLeft></GetSailingResponse></soap:Body>
            """
        }
        let booked = """
            200 <soap:Body><BookPlaceResponse><state>booked</state><note>Überfahrt ab 9:30 – bitte pünktlich ⛴</note>\
            </BookPlaceResponse></soap:Body>
            """
        let refused = """
            500 <soap:Body><soap:Fault><faultstring>Nur ein Platz für jeden Gast</faultstring></soap:Fault></soap:Body>
            """
        #expect(seen == [left(2), booked, left(1), refused, left(0)])
    }

    @Test func `a search is played back with its cookie, decoded and with its characters`() async throws {
        let session = try network("FerryUITests_testHarbourSearch").session
        let address = """
            http://ferry.example.com:8983/solr/harbours/select/?q=text:%22W%C3%BCrttemberg+Anleger%22~1000+AND+IsOpen:1\
            &sort=Name+desc,id+desc&wt=json&start=0
            """
        let (data, response) = try await session.data(from: try #require(URL(string: address)))
        #expect(response.status == 200)
        #expect(response.url?.absoluteString == address)
        #expect(response.field("Set-Cookie") == "berth=7a2f-invented; Path=/; Domain=.ferry.example.com")
        #expect(response.field("Content-Type") == "text/plain;charset=utf-8")
        #expect(response.field("Content-Encoding") == nil)
        let text = String(decoding: data, as: UTF8.self)
        #expect(text.contains(#""q":"text:\"Württemberg Anleger\"~1000 AND IsOpen:1""#))
        #expect(text.contains(#"{"id":"h/17","Name":"Wörth\u00a0/ Süd","Url":"http:\/\/ferry.example.com\/h\/17"}"#))
        #expect(text.contains(#"{"id":"h/9","Name":"東港"}"#))
        let (none, missing) = try await session.data(from: URL(string: "https://ferry.example.com/favicon.ico")!)
        #expect(none.isEmpty)
        #expect(missing.status == 404)
    }
}
