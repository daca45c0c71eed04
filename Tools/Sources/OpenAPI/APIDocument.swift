import Foundation
@_spi(Tools) import StubbornNetworkTooling

/// The reason why an OpenAPI document cannot be read.
package struct DocumentError: Error {
    package let message: String

    init(_ message: String) { self.message = message }
}

/// An OpenAPI document (3.0 or 3.1), read from YAML or JSON.
package struct APIDocument: Sendable {
    let root: JSON
    let version: String
    let resources: SchemaResources
    /// The operations, sorted by path and method.
    let operations: [APIOperation]
    /// The lists of servers of the operations; most operations share one list.
    let servers: [[ServerAddress]]

    var dialect: SchemaCheck.Dialect { version.hasPrefix("3.0") ? .openAPI30 : .draft2020 }

    /// Reads a document.
    ///
    /// - Parameters:
    ///   - text: The file's content.
    ///   - servers: The addresses at which the API was recorded, in addition to those of the document.
    /// - Throws: `DocumentError`.
    package init(_ text: Data, servers: [String] = []) throws {
        root = try Self.value(of: text)
        guard root.members != nil else {
            throw DocumentError("The document is not an object, so it is not an OpenAPI document.")
        }
        if let swagger = root["swagger"] {
            throw DocumentError(
                "The document is Swagger \(swagger.text ?? "2.0"). Convert it to OpenAPI 3.0 or 3.1 first, for example with swagger2openapi."
            )
        }
        switch root["openapi"] {
        case .string(let text)?: version = text
        case .number(let digits)?: version = digits
        default: throw DocumentError("The document has no member \"openapi\", so it is not an OpenAPI document.")
        }
        guard ["3.0", "3.1"].contains(version.split(separator: ".").prefix(2).joined(separator: ".")) else {
            throw DocumentError("The document is OpenAPI \(version.cut(to: 40)). Only 3.0 and 3.1 can be read.")
        }
        let resources = SchemaResources(root)
        self.resources = resources
        let addresses = try servers.map { server in
            guard let address = ServerAddress.all(url: server, variables: nil).first, address.hasHost else {
                throw DocumentError(
                    "\(server) is not the URL of a server. Write it with its scheme: https://staging.example.com/v1"
                )
            }
            return address
        }
        (operations, self.servers) = try Self.operations(of: root, resources, addresses)
        guard !operations.isEmpty else {
            throw DocumentError("The document has no operations under \"paths\", so nothing can be checked.")
        }
    }

    private static func value(of data: Data) throws -> JSON {
        var text = String(data: data, encoding: .utf8)
        if data.starts(with: [0xFE, 0xFF]) || data.starts(with: [0xFF, 0xFE]) {
            text = String(data: data, encoding: .utf16)
        }
        guard var text else { throw DocumentError("The document is neither UTF-8 nor UTF-16.") }
        if text.hasPrefix("\u{FEFF}") { text.removeFirst() }
        let start = text.prefix(4_096).drop(while: \.isWhitespace)
        guard !start.isEmpty else { throw DocumentError("The document is empty.") }
        guard start.hasPrefix("{") else { return try YAMLReader.read(text) }
        do {
            return try JSON(Data(text.utf8))
        } catch {
            // YAML may begin with a brace too.
            if let value = try? YAMLReader.read(text) { return value }
            throw DocumentError("The document is not JSON. \(error)")
        }
    }

    /// Returns a part of the document, or the target of its `$ref`; `nil` for a reference that leads nowhere.
    func resolved(_ part: JSON?) -> JSON? { Self.resolved(part, resources) }

    private static func resolved(_ part: JSON?, _ resources: SchemaResources) -> JSON? {
        var part = part
        for _ in 0..<50 {
            guard let reference = part?["$ref"]?.text else { return part }
            part = resources.target(of: reference, from: "")?.schema
        }
        return nil
    }

    /// Returns a part of the paths, or the target of its `$ref`; `nil` for a reference that leads nowhere.
    private static func local(_ part: JSON?, _ resources: SchemaResources) throws -> JSON? {
        if let part = resolved(part, resources) { return part }
        guard let reference = part?["$ref"]?.text, !reference.hasPrefix("#") else { return nil }
        throw DocumentError(
            "The document has paths in other files, such as \(reference.cut(to: 80)). Bundle it into one file first, for example "
                + "with: redocly bundle"
        )
    }

    private static func operations(
        of root: JSON,
        _ resources: SchemaResources,
        _ addresses: [ServerAddress]
    ) throws -> ([APIOperation], [[ServerAddress]]) {
        let methods = ["get", "put", "post", "delete", "options", "head", "patch", "trace"]
        func servers(_ content: JSON?) -> [ServerAddress] {
            let declared = (content?.elements ?? []).flatMap { server in
                ServerAddress.all(url: server["url"]?.text ?? "/", variables: server["variables"])
            }
            return addresses + (declared.isEmpty ? ServerAddress.all(url: "/", variables: nil) : declared)
        }
        var result: [APIOperation] = []
        var lists = [servers(root["servers"])]
        let paths = try local(root["paths"], resources)?.members ?? [:]
        for (path, item) in paths.sorted(by: { $0.key < $1.key }) where path.hasPrefix("/") {
            guard let item = try local(item, resources) else { continue }
            for method in methods {
                guard let operation = try local(item[method], resources), operation.members != nil else { continue }
                var list = 0
                if let own = operation["servers"] ?? item["servers"] {
                    list = lists.count
                    lists.append(servers(own))
                }
                result.append(
                    APIOperation(method: method.uppercased(), path: path, servers: list, item: item, content: operation)
                )
            }
        }
        return (result, lists)
    }
}

/// An operation of a document: a method and a path.
struct APIOperation: Sendable {
    let method: String
    let path: String
    /// The index of its list of servers in the document.
    let servers: Int
    let segments: [SegmentTemplate]
    let item: JSON
    let content: JSON

    init(method: String, path: String, servers: Int, item: JSON, content: JSON) {
        (self.method, self.path, self.servers, self.item, self.content) = (method, path, servers, item, content)
        // Some documents distinguish operations of one path by `#name` or `?action=name`, which is not in a request's
        // path.
        segments = path.dropFirst().prefix { $0 != "#" && $0 != "?" }.split(
            separator: "/",
            omittingEmptySubsequences: false
        )
        .map { SegmentTemplate(String($0)) }
    }

    /// The name in messages: `GET /users/{id}`.
    var name: String { "\(method) \(path)" }
}
