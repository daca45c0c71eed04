import Foundation

/// A multipart body, as a stub file holds it under `requestMultipart` and `multipart`: as a list of its parts.
///
///     [
///       {
///         "headerFields" : [ "Content-Disposition[:::]form-data; name=\"title\"" ],
///         "text" : [ "Hello" ]
///       },
///       {
///         "data" : "iVBORw0KGgo=",
///         "headerFields" : [
///           "Content-Disposition[:::]form-data; name=\"image\"; filename=\"a.png\"",
///           "Content-Type[:::]image/png"
///         ]
///       }
///     ]
///
/// The boundary is in the header field `Content-Type`. If anything but a line break follows the last boundary, the list ends
/// with it, as a text.
struct MultipartBody: Sendable, Equatable {
    struct Part: Sendable, Equatable {
        /// The header fields as `name[:::]value`, in their order.
        var headerFields: [String]
        var content: Data
    }

    /// The line break that usually follows the last boundary.
    static let usualEnd = "\r\n"

    var parts: [Part] = []
    /// The text behind the last boundary.
    var end = usualEnd

    init() {}

    /// Reads a body; `nil` if its parts do not give the same bytes again, such as with text before the first boundary.
    init?(_ body: Data, boundary: String) {
        guard !boundary.isEmpty else { return nil }
        parts = body.withBytes { bytes in
            Multipart.parts(of: bytes, boundary: boundary)?.map { part in
                let head = bytes.part(part.head).text
                let lines = head.isEmpty ? [] : head.components(separatedBy: "\r\n")
                return Part(
                    headerFields: lines.map { $0.replacingFirst(": ", by: Self.separator) },
                    content: Data(buffer: bytes.part(part.content))
                )
            } ?? []
        }
        end = ""
        let start = data(boundary: boundary)
        guard !parts.isEmpty, body.starts(with: start), body.count - start.count < 100,
            let rest = String(bytes: body.dropFirst(start.count), encoding: .utf8)
        else { return nil }
        end = rest
    }

    /// Returns the body with a boundary.
    func data(boundary: String) -> Data {
        var data = Data()
        for part in parts {
            data.append(contentsOf: "--\(boundary)\r\n".utf8)
            for field in part.headerFields {
                data.append(contentsOf: field.replacingFirst(Self.separator, by: ": ").utf8)
                data.append(contentsOf: "\r\n".utf8)
            }
            data.append(contentsOf: "\r\n".utf8)
            data.append(part.content)
            data.append(contentsOf: "\r\n".utf8)
        }
        data.append(contentsOf: "--\(boundary)--\(end)".utf8)
        return data
    }

    private static let separator = "[:::]"
}

extension String {
    fileprivate func replacingFirst(_ text: String, by other: String) -> String {
        range(of: text).map { replacingCharacters(in: $0, with: other) } ?? self
    }
}
