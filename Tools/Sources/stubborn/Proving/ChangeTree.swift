import Foundation
import StubbornNetwork
@_spi(Tools) import StubbornNetworkTooling

/// Changes of one JSON text, by the keys on the way to them.
struct ChangeTree {
    private var kinds: Set<ResponseChange.Kind> = []
    private var children: [String: ChangeTree] = [:]
    /// The number of elements that lists keep.
    private var length: Int?

    mutating func add(_ kind: ResponseChange.Kind, at path: ArraySlice<String>) {
        guard let key = path.first else { return _ = kinds.insert(kind) }
        children[key, default: ChangeTree()].add(kind, at: path.dropFirst())
    }

    /// Shortens the lists at a path.
    mutating func shorten(to length: Int, at path: ArraySlice<String>) {
        guard let key = path.first else { return self.length = length }
        children[key, default: ChangeTree()].shorten(to: length, at: path.dropFirst())
    }

    /// Returns a body with the changes; unchanged if there are none.
    func changed(_ body: Data) -> Data {
        if kinds.isEmpty, children.isEmpty, length == nil { return body }
        if let json = JSONText(body) { return changed(json).map { Data($0.text.utf8) } ?? body }
        if kinds.contains(.body) { return Data() }
        return kinds.contains(.value) ? JSONText.body(otherThan: body) ?? body : body
    }

    /// Returns the changed text; `nil` for a member that is missing.
    func changed(_ json: JSONText) -> JSONText? {
        if kinds.contains(.missing) || kinds.contains(.absent) { return nil }
        var json = json
        switch json {
        case .scalar: break
        case .array(var elements):
            if let length { elements = Array(elements.prefix(length)) }
            if let child = children[ResponseChange.element] { elements = elements.compactMap(child.changed) }
            json = .array(elements)
        case .object(let members) where !children.isEmpty:
            json = .object(
                members.compactMap { member in
                    guard let child = children[member.name] else { return member }
                    return child.changed(member.value).map { JSONText.Member(key: member.key, value: $0) }
                }
            )
        case .object: break
        }
        return kinds.reduce(json) { $0.changed($1) ?? $0 }
    }
}

extension StubFile {
    /// Returns the text of the file with some changes.
    func text(with changes: [ResponseChange]) throws -> Data {
        var file = self
        for (position, changes) in Dictionary(grouping: changes, by: \.stub) {
            var tree = ChangeTree()
            for change in changes where ![.status, .failure, .field].contains(change.kind) {
                tree.add(change.kind, at: change.path[...])
            }
            let fields = Set(changes.filter { $0.kind == .field }.map(\.path))
            let kinds = Set(changes.map(\.kind))
            try file.changeStub(at: position - 1, body: tree.changed) { head in
                if kinds.contains(.status) { head.statusCode = ResponseChange.status(otherThan: head.statusCode) }
                if kinds.contains(.failure), head.statusCode >= 400 {
                    head.statusCode = ResponseChange.failure(otherThan: head.statusCode)
                }
                if fields.isEmpty { return }
                head.headerFields = HeaderFields(
                    head.headerFields.map { field in
                        guard fields.contains(ResponseChange.path(ofField: field.name)) else { return field }
                        return HeaderFields.Field(
                            name: field.name,
                            value: JSONText.other(than: field.value) ?? field.value
                        )
                    }
                )
            } errorCode: { code in
                kinds.contains(.failure) ? ResponseChange.error(otherThan: code) : code
            }
        }
        return file.text()
    }

    /// Changes the body, the head and the error of a stub's response.
    mutating func changeStub(
        at index: Int,
        body change: (Data) -> Data,
        head changeHead: (inout ResponseHead) -> Void,
        errorCode changeCode: (Int) -> Int = { $0 }
    ) throws {
        var stub = stub(at: index)
        let old = stub.response
        let head = old.head.map { head in
            var head = head
            changeHead(&head)
            return head
        }
        let body = old.body.map(change)
        var new = old
        if let failure = old.failure {
            new = .failing(
                domain: failure.domain,
                code: changeCode(failure.code),
                description: failure.description,
                head: head,
                body: body
            )
        } else if let head {
            new = StubResponse(head: head, body: body)
        }
        if let timing = old.timing {
            new = new.timed(secondsToFirstByte: timing.secondsToFirstByte, chunks: timing.chunks)
        }
        stub.response = new
        _ = try replaceStub(at: index, with: stub)
    }
}
