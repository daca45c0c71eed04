#if canImport(FoundationNetworking)
    import Foundation

    extension CallStack {
        /// Returns the mangled names of the running functions, the innermost first.
        ///
        /// The loader does not know the names in an executable: they are read from its file.
        static func runningFunctions() -> [String] {
            let lines = Thread.callStackSymbols.map(Line.init)
            var names = lines.map(\.name)
            let nameless = lines.indices.filter { lines[$0].offset != nil }
            for (file, frames) in Dictionary(grouping: nameless, by: { lines[$0].file }) {
                let offsets = frames.compactMap { lines[$0].offset }
                for (frame, name) in zip(frames, functionNames(at: offsets, inFileAt: file)) { names[frame] = name }
            }
            return zip(lines, names).map { line, name in name ?? line.text }
        }

        /// A line of the call stack.
        ///
        ///     ./LoginTests.xctest(+0x1d88) [0x556f3b445d88]
        ///     /usr/lib/libFoundation.so(name+0x2e) [0x…]
        private struct Line {
            let text: String
            var file = ""
            var name: String?
            /// The offset of a function without a name from the beginning of the file in memory.
            var offset: UInt64?

            init(_ text: String) {
                self.text = text
                guard let open = text.lastIndex(of: "("), let close = text[open...].firstIndex(of: ")"),
                    let plus = text[open..<close].lastIndex(of: "+")
                else { return }
                let path = String(text[..<open])
                // A relative path is that of the program, from the directory in which it was started.
                file = path.hasPrefix("/") ? path : "/proc/self/exe"
                let name = String(text[text.index(after: open)..<plus])
                self.name = name.isEmpty ? nil : name
                let digits = text[text.index(after: plus)..<close]
                if name.isEmpty, digits.hasPrefix("0x") { offset = UInt64(digits.dropFirst(2), radix: 16) }
            }
        }

        /// Returns the names of functions, by offsets from the beginning of a file in memory, from its symbol table (ELF,
        /// 64 bits); `nil` for a function that has no name there.
        static func functionNames(at offsets: [UInt64], inFileAt path: String) -> [String?] {
            var names = [String?](repeating: nil, count: offsets.count)
            guard let data = try? Data(contentsOf: URL(fileURLWithPath: path), options: .alwaysMapped) else {
                return names
            }
            data.withUnsafeBytes { file in
                guard file.starts(with: [0x7F, 0x45, 0x4C, 0x46, 2, 1]), let head = file.value(at: 0, Elf64_Ehdr.self)
                else {
                    return
                }
                let sections = (0..<UInt64(head.e_shnum)).map {
                    file.value(at: head.e_shoff &+ $0 &* 64, Elf64_Shdr.self)
                }
                guard let symbols = sections.compactMap(\.self).first(where: { $0.sh_type == SHT_SYMTAB }),
                    sections.indices.contains(Int(symbols.sh_link)), let texts = sections[Int(symbols.sh_link)]
                else { return }
                // Loops without iterators: the file of a test run has 200,000 symbols, and the build is a debug build.
                var place = symbols.sh_offset
                let end = symbols.sh_offset &+ symbols.sh_size
                while place < end, let symbol = file.value(at: place, Elf64_Sym.self) {
                    place += 24
                    var index = symbol.st_info & 15 == STT_FUNC ? 0 : offsets.count
                    while index < offsets.count {
                        defer { index += 1 }
                        guard offsets[index] > symbol.st_value, offsets[index] - symbol.st_value <= symbol.st_size,
                            let start = Int(exactly: texts.sh_offset &+ UInt64(symbol.st_name))
                        else { continue }
                        names[index] = String(decoding: file.dropFirst(start).prefix { $0 != 0 }, as: UTF8.self)
                    }
                }
            }
            return names
        }
    }

    extension UnsafeRawBufferPointer {
        /// Returns the value at an offset; `nil` where the bytes end before it does.
        fileprivate func value<Value: BitwiseCopyable>(at offset: UInt64, _ type: Value.Type) -> Value? {
            guard let offset = Int(exactly: offset), offset <= count - MemoryLayout<Value>.size else { return nil }
            return loadUnaligned(fromByteOffset: offset, as: type)
        }
    }
#endif
