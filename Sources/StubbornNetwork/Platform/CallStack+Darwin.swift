#if !canImport(FoundationNetworking)
    import Foundation

    extension CallStack {
        /// Returns the names of the running functions, the innermost first, mangled as they are.
        static func returnAddresses() -> [String] {
            // "3   LoginTests   0x0000000104c1e2f0 $s10LoginTests5loginyyF + 84"
            Thread.callStackSymbols.dropFirst().map { line in
                let words = line.split(separator: " ", omittingEmptySubsequences: true)
                return words.count > 3 ? words[3...].prefix { $0 != "+" }.joined(separator: " ") : line
            }
        }
    }
#endif
