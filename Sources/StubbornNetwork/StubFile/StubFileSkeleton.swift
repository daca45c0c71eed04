import Foundation

/// A stub file's text without what is long in it: the contents of long strings, and long white space.
///
///     "data" : "YWJjZGVm…", "x" : 1       becomes       "data" : "", "x" : 1
///
/// Made in one pass through a window that is used again and again, so that a large file takes little memory and stays in
/// the processor's cache. What is JSON in the file is JSON here, and a fault lies at the same place in both; values and
/// their places are translated.
struct StubFileSkeleton: Sendable {
    /// What was left out.
    struct Cut: Sendable {
        /// Where it is missing: the place of the byte that follows it.
        let position: Int
        /// What is missing, in the text.
        let range: Range<Int>
        /// Whether it is what stands between a string's quotation marks.
        let isString: Bool
        let hasEscapes: Bool
    }

    /// How much is worth the trouble: from so many bytes on something is left out.
    var minimum = 1024

    private(set) var bytes = Data()
    private(set) var cuts: [Cut] = []
    /// The string that the window ended in.
    private var string: OpenString?
    /// Nothing is left out any more, behind a fault, which whoever reads this will find.
    private(set) var isFaulty = false

    private struct OpenString {
        /// Where its content begins: in the text, and here.
        let start: Int
        var position: Int?
        var hasEscapes = false
    }

    init(minimum: Int = 1024) {
        self.minimum = minimum
    }

    /// All of a text that is at hand.
    init(whole text: Data) {
        bytes = text
    }

    /// The place in the text of a byte that is here.
    func offset(of position: Int) -> Int {
        guard let cut = cuts.last(upTo: position) else { return position }
        return position - cut.position + cut.range.upperBound
    }

    /// What was left out of a string; `nil` for one that is here.
    func cut(of value: JSONScanner.Value) -> Cut? {
        guard value.range.count == 2, case .string = value.kind, let cut = cuts.last(upTo: value.range.lowerBound + 1),
            cut.isString, cut.position == value.range.lowerBound + 1
        else { return nil }
        return cut
    }

    /// Goes through the next part of the text.
    ///
    /// - Parameters:
    ///   - start: the place of the window's first byte in the text.
    ///   - isLast: whether the text ends here.
    /// - Returns: how many bytes are done with. The rest belongs at the beginning of the next window.
    mutating func take(_ window: UnsafeRawBufferPointer, at start: Int, isLast: Bool) -> Int {
        var kept = 0
        var next = 0
        var quote = -1
        while next < window.count, !isFaulty {
            if quote < next { quote = window.firstIndex(of: 0x22, from: next, to: window.count) ?? window.count }
            guard var open = string else {
                kept = cutWhiteSpace(window, next..<quote, at: start, kept: kept)
                if quote < window.count { string = OpenString(start: start + quote + 1) }
                next = quote + 1
                continue
            }
            if let backslash = window.firstIndex(of: 0x5C, from: next, to: quote) {
                let end = backslash + 6
                guard end <= window.count || isLast else {
                    // Looked at again when the whole escape is there.
                    keep(window, kept..<backslash, at: start)
                    return backslash
                }
                open.hasEscapes = true
                string = open
                let isUnicode = backslash + 1 < window.count && window[backslash + 1] == 0x75
                if isUnicode, end > window.count || window[backslash + 2..<end].contains(0x22) {
                    kept = cutString(window, upTo: backslash, at: start, kept: kept)
                    isFaulty = true
                }
                next = isUnicode ? end : backslash + 2
                continue
            }
            if quote < window.count {
                kept = cutString(window, upTo: quote, at: start, kept: kept)
                string = nil
            }
            next = quote + 1
        }
        keep(window, kept..<window.count, at: start)
        if isLast { finish(at: start + window.count) }
        return window.count
    }

    /// Copies what comes before the end of a window, less a string that is long already.
    private mutating func keep(_ window: UnsafeRawBufferPointer, _ range: Range<Int>, at start: Int) {
        guard var open = string, !isFaulty else { return append(window, range) }
        let isLong = start + range.upperBound - open.start >= minimum
        if let position = open.position {
            if isLong { bytes.removeSubrange(position...) } else { append(window, range) }
            return
        }
        let content = min(max(open.start - start, range.lowerBound), range.upperBound)
        open.position = bytes.count + content - range.lowerBound
        append(window, range.lowerBound..<(isLong ? content : range.upperBound))
        string = open
    }

    /// Leaves the open string out up to a place in the window, if it is long. What it returns is from where on the window
    /// is to be kept.
    private mutating func cutString(
        _ window: UnsafeRawBufferPointer,
        upTo end: Int,
        at start: Int,
        kept: Int
    ) -> Int {
        guard let open = string, start + end - open.start >= minimum else { return kept }
        if let position = open.position {
            bytes.removeSubrange(position...)
        } else {
            append(window, kept..<open.start - start)
        }
        cuts.append(
            Cut(position: bytes.count, range: open.start..<start + end, isString: true, hasEscapes: open.hasEscapes)
        )
        return end
    }

    private mutating func cutWhiteSpace(
        _ window: UnsafeRawBufferPointer,
        _ range: Range<Int>,
        at start: Int,
        kept: Int
    ) -> Int {
        guard range.count > minimum else { return kept }
        var kept = kept
        var runStart = range.lowerBound
        for index in range.lowerBound...range.upperBound {
            if index < range.upperBound, window[index].isWhiteSpace { continue }
            if index - runStart > minimum {
                append(window, kept..<runStart + 1)
                kept = index
                let cut = start + runStart + 1..<start + index
                cuts.append(Cut(position: bytes.count, range: cut, isString: false, hasEscapes: false))
            }
            runStart = index + 1
        }
        return kept
    }

    /// A string that never ends is left out too, so that the place behind it is the text's end.
    private mutating func finish(at end: Int) {
        guard let open = string, !isFaulty, let position = open.position, end - open.start >= minimum else { return }
        cuts.append(Cut(position: position, range: open.start..<end, isString: false, hasEscapes: false))
    }

    private mutating func append(_ window: UnsafeRawBufferPointer, _ range: Range<Int>) {
        guard let base = window.baseAddress, !range.isEmpty else { return }
        bytes.append((base + range.lowerBound).assumingMemoryBound(to: UInt8.self), count: range.count)
    }
}

extension [StubFileSkeleton.Cut] {
    /// The last cut that is not behind a position.
    fileprivate func last(upTo position: Int) -> StubFileSkeleton.Cut? {
        var low = 0
        var high = count
        while low < high {
            let middle = (low + high) / 2
            if self[middle].position <= position { low = middle + 1 } else { high = middle }
        }
        return low > 0 ? self[low - 1] : nil
    }
}

extension UInt8 {
    /// What JSON allows between its parts: space, line feed, return, tab.
    fileprivate var isWhiteSpace: Bool { self == 0x20 || self == 0x0A || self == 0x0D || self == 0x09 }
}

extension UnsafeRawBufferPointer {
    /// The first place of a byte, found by the C library: bodies are long, and quick to skip in a debug build too.
    func firstIndex(of byte: UInt8, from start: Int, to end: Int) -> Int? {
        guard let base = baseAddress, start < end, end <= count,
            let found = memchr(base + start, CInt(byte), end - start)
        else { return nil }
        return UnsafeRawPointer(found) - base
    }
}
