import Foundation

/// JSON text without white space: keys keep their order, numbers and strings their spelling.
enum JSONText {
    /// Returns the value that begins at the scanner's position without white space, and moves behind it.
    ///
    /// A body that is stored under `json` is delivered like this.
    static func compact(_ scanner: inout JSONScanner) throws(JSONSyntaxError) -> Data {
        var writer = JSONWriter(.compact)
        let bytes = scanner.bytes
        try scanner.read { writer.append($0, of: bytes) }
        return writer.output
    }

    /// Returns a whole body without white space, inside `depth` arrays and objects; `nil` when it is not JSON in the
    /// strict reading.
    static func compact(body: Data, depth: Int = 0) -> Data? {
        body.withBytes { bytes in
            var writer = JSONWriter(.compact)
            let result: Void? = try? JSONScanner.read(bytes, depth: depth) { writer.append($0, of: bytes) }
            return result.map { writer.output }
        }
    }
}
