import Foundation
@_spi(Tools) import StubbornNetwork
@_spi(Tools) import StubbornNetworkTooling

/// A stub of an older version of a stub file, and the stub that replaces it in a newer version.
struct StubPair: Hashable, Sendable {
    /// The index in the older version; `nil` for a stub that is new.
    let old: Int?
    /// The index in the newer version; `nil` for a stub that was removed.
    let new: Int?

    /// A pair without stubs, for a file that was renamed.
    static let rename = StubPair(old: nil, new: nil)

    /// Returns the pairs of two versions, in the order of the newer version; a removed stub comes after the stub that it followed.
    ///
    /// Equal stubs are paired first, then stubs whose requests have the same normal form, then those with the same method, URL and
    /// body, then those with the same method and URL, and finally those with the same method and path. Of several that are the
    /// same, the first is paired with the first.
    static func pairs(of old: StubFile, and new: StubFile, _ rules: StubDirectoryRules? = nil) -> [StubPair] {
        let (oldStubs, newStubs) = (old.stubs, new.stubs)
        var partners: [Int: Int] = [:]
        var freeOld = Array(oldStubs.indices)
        var freeNew = Array(newStubs.indices)
        func pair<Key: Hashable>(by oldKey: (Int) -> Key, _ newKey: (Int) -> Key) {
            guard !freeOld.isEmpty, !freeNew.isEmpty else { return }
            var candidates: [Key: [Int]] = [:]
            for index in freeOld.reversed() { candidates[oldKey(index), default: []].append(index) }
            for index in freeNew {
                if let partner = candidates[newKey(index), default: []].popLast() { partners[index] = partner }
            }
            let taken = Set(partners.values)
            freeOld.removeAll { taken.contains($0) }
            freeNew.removeAll { partners[$0] != nil }
        }
        func pair(by key: (Stub) -> some Hashable) {
            pair(by: { key(oldStubs[$0]) }, { key(newStubs[$0]) })
        }
        pair(by: old.text(ofStubAt:), new.text(ofStubAt:))
        if let keys = rules?.comparison(oldStubs, newStubs).keys { pair(by: { keys.old[$0] }, { keys.new[$0] }) }
        pair { [$0.request.method, $0.request.url.absoluteString, $0.request.body?.base64EncodedString()] }
        pair { [$0.request.method, $0.request.url.absoluteString] }
        pair { [$0.request.method, "\($0.request.url.absoluteString.prefix { $0 != "?" })"] }

        var result: [StubPair] = []
        var removed = freeOld[...]
        func appendRemoved(behind index: Int) {
            var next = index + 1
            while removed.first == next {
                result.append(StubPair(old: next, new: nil))
                removed = removed.dropFirst()
                next += 1
            }
        }
        appendRemoved(behind: -1)
        for index in newStubs.indices {
            result.append(StubPair(old: partners[index], new: index))
            if let partner = partners[index] { appendRemoved(behind: partner) }
        }
        return result + removed.map { StubPair(old: $0, new: nil) }
    }
}
