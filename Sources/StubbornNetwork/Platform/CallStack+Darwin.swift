#if !canImport(FoundationNetworking)
    import Foundation

    extension CallStack {
        /// Returns the names of the running functions, the innermost first, mangled as they are.
        static func returnAddresses() -> [String] { Thread.callStackSymbols.map(functionName) }
    }
#endif
