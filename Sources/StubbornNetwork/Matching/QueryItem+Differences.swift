extension QueryItem {
    /// What differs between two lists of items, name by name; `nil` for a name that is not there at all. Values that
    /// both have are left out.
    static func differences(
        _ old: [QueryItem],
        _ new: [QueryItem]
    ) -> [(name: String, recorded: String?, requested: String?)] {
        let old = Dictionary(grouping: old, by: \.name)
        let new = Dictionary(grouping: new, by: \.name)
        return Set(old.keys).union(new.keys).sorted().compactMap { name in
            let before = old[name] ?? []
            let after = new[name] ?? []
            let (gone, come) = (before.removing(after), after.removing(before))
            guard !gone.isEmpty || !come.isEmpty else { return nil }
            return (name, shown(gone), shown(come))
        }
    }

    private static func shown(_ items: [QueryItem]) -> String? {
        guard !items.isEmpty else { return nil }
        let texts = items.prefix(8).map { item in
            item.value.map { PercentEncoding.decoded($0).quoted(upTo: 256 / min(8, items.count)) } ?? "no value"
        }
        return texts.joined(separator: ", ") + (items.count > 8 ? ", …" : "")
    }
}

extension [QueryItem] {
    /// The items less those of another list, each taken once.
    fileprivate func removing(_ others: [QueryItem]) -> [QueryItem] {
        var counts = Dictionary(others.map { ($0, 1) }, uniquingKeysWith: +)
        return filter { item in
            guard let count = counts[item], count > 0 else { return true }
            counts[item] = count - 1
            return false
        }
    }
}
