#if !canImport(FoundationNetworking)
    import Foundation

    extension CallStack {
        /// Returns the mangled names of the running functions, the innermost first.
        static func runningFunctions() -> [String] { Thread.callStackSymbols.map(functionName) }
    }
#endif
