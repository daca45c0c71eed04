import Foundation
import StubbornNetwork
@_spi(Tools) import StubbornNetworkTooling

/// A stub as JSON for programs, with its bodies decoded.
struct StubObject: Encodable {
    /// A body: as text if it is UTF-8, or else in base64.
    struct Body: Encodable {
        let bytes: Int
        var text: String?
        var base64: String?

        init(_ body: Data) {
            bytes = body.count
            text = String(data: body, encoding: .utf8)
            if text == nil { base64 = body.base64EncodedString() }
        }
    }

    struct Request: Encodable {
        let method: String
        let url: String
        let headers: [HAR.Field]
        let body: Body?
    }

    struct Response: Encodable {
        let status: Int?
        let url: String?
        let headers: [HAR.Field]
        let body: Body?
        let error: HAR.Failure?
    }

    /// The position of the stub in its file, from 1.
    let stub: Int
    /// The line of the file in which the stub begins.
    let line: Int?
    let request: Request
    let response: Response

    init(_ stub: Stub, position: Int, line: Int?) throws {
        (self.stub, self.line) = (position, line)
        request = Request(
            method: stub.request.method,
            url: stub.request.url.absoluteString,
            headers: HAR.fields(stub.request.headerFields),
            body: stub.request.body.map(Body.init)
        )
        let head = stub.response.head
        response = Response(
            status: head?.statusCode,
            url: head?.url?.absoluteString,
            headers: HAR.fields(head?.headerFields ?? [:]),
            body: stub.response.body.map(Body.init),
            error: stub.response.failure.map(HAR.Failure.init)
        )
    }
}

/// A stub file with the changes of its stubs, as JSON for programs.
struct ChangedFileObject: Encodable {
    struct Change: Encodable {
        /// The kind of the change: `new`, `changed`, `removed` or `renamed`.
        let change: String
        /// The position of the stub in the file now, from 1, for `stubborn accept --stub`.
        let stub: Int?
        /// The position that the stub had, from 1.
        let oldStub: Int?
        let request: String?
        /// `true` if only volatile values differ.
        let isVolatile: Bool
        let differences: [String]
        let volatile: [String]

        init(_ change: StubChange) {
            (stub, oldStub) = (change.pair.new.map { $0 + 1 }, change.pair.old.map { $0 + 1 })
            self.change =
                switch (change.pair.old, change.pair.new) {
                case (nil, nil): "renamed"
                case (nil, _): "new"
                case (_, nil): "removed"
                default: "changed"
                }
            (request, isVolatile) = (change.request, change.isVolatile)
            (differences, volatile) = (change.details, change.volatileParts)
        }
    }

    let file: String
    var oldFile: String?
    let changes: [Change]

    init(_ file: String, renamedFrom oldFile: String? = nil, _ changes: [StubChange]) {
        (self.file, self.oldFile) = (file, oldFile)
        self.changes = changes.map(Change.init)
    }
}
