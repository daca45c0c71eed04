#if canImport(FoundationNetworking)
    import Foundation

    extension CallStack {
        /// The functions that are running, the innermost first, mangled as they are.
        ///
        /// An executable does not tell the loader the names of its functions, so that they are looked up in the symbol table
        /// of its file. Where there is none the line stays as the system gives it.
        static func returnAddresses() -> [String] {
            let lines = Thread.callStackSymbols.map(Line.init)
            var names = lines.map(\.name)
            for (file, frames) in Dictionary(grouping: lines.indices, by: { lines[$0].file }) {
                let nameless = frames.filter { lines[$0].name == nil && lines[$0].offset != nil }
                guard !nameless.isEmpty, let symbols = SymbolTable(path: file) else { continue }
                let offsets = nameless.compactMap { lines[$0].offset }
                for (frame, name) in zip(nameless, symbols.names(at: offsets)) { names[frame] = name }
            }
            return zip(lines, names).map { line, name in name ?? line.text }
        }

        /// `./LoginTests.xctest(+0x1d88) [0x556f3b445d88]`, or with a name: `/usr/lib/libFoundation.so(name+0x2e) [0x…]`.
        private struct Line {
            let text: String
            var file = ""
            var name: String?
            /// From the beginning of the file in memory.
            var offset: UInt64?

            init(_ text: String) {
                self.text = text
                guard let open = text.lastIndex(of: "("), let close = text[open...].firstIndex(of: ")"),
                    let plus = text[open..<close].lastIndex(of: "+")
                else { return }
                let path = String(text[..<open])
                // A relative path is that of the program, from where it was started.
                file = path.hasPrefix("/") ? path : "/proc/self/exe"
                let name = String(text[text.index(after: open)..<plus])
                self.name = name.isEmpty ? nil : name
                let digits = text[text.index(after: plus)..<close]
                if name.isEmpty, digits.hasPrefix("0x") { offset = UInt64(digits.dropFirst(2), radix: 16) }
            }
        }
    }
#endif
