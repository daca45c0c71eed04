import Foundation

/// The calls that led here, in readable names.
enum CallStack {
    /// From the first call that is neither this library's own nor the way from a session to it, at most 24.
    static var ofCaller: [String] {
        let names = returnAddresses().map { SymbolName.demangled($0) ?? $0 }
        return Array(names.drop { isOwn($0) || isBetween($0) || isOfTheStackItself($0) }.prefix(24))
    }

    /// Whether a function is Foundation's, which asks a protocol while a task is resumed, or the compiler's own.
    private static func isBetween(_ name: String) -> Bool {
        ["FoundationNetworking.", "Dispatch.DispatchQueue.sync", "_dispatch_sync_", "_dispatch_lane_barrier_sync"]
            .contains { name.hasPrefix($0) }
            || ["reabstraction thunk helper ", "partial apply forwarder for "].contains { name.hasPrefix($0) }
            || [" in FoundationNetworking.", " of static FoundationNetworking."].contains { name.contains($0) }
    }

    /// Whether a function only reads the stack; a sanitizer puts its own in between.
    private static func isOfTheStackItself(_ name: String) -> Bool {
        name.contains("callStackSymbols") || name.contains("interceptor_backtrace")
    }

    /// Whether a function is this library's. One that somebody else has added to a type of ours is not.
    private static func isOwn(_ name: String) -> Bool {
        ["StubbornNetwork.", "$s15StubbornNetwork"].contains { name.hasPrefix($0) }
            || [" in ", " of ", " for ", " in static "].contains { name.contains("\($0)StubbornNetwork.") }
            || name.hasPrefix("static StubbornNetwork.") || name.hasPrefix("static (extension in StubbornNetwork):")
            || name.hasPrefix("(extension in StubbornNetwork):")
    }
}

/// Names of Swift functions as people write them.
enum SymbolName {
    private typealias Demangle =
        @convention(c) (
            UnsafePointer<CChar>?, Int, UnsafeMutablePointer<CChar>?, UnsafeMutablePointer<Int>?, UInt32
        ) -> UnsafeMutablePointer<CChar>?

    /// What the runtime makes of a mangled name; `nil` for any other text, and where the runtime is linked statically.
    static func demangled(_ name: String) -> String? {
        guard name.hasPrefix("$s") || name.hasPrefix("$S"),
            let function = dlsym(dlopen(nil, RTLD_NOW), "swift_demangle")
        else { return nil }
        let demangle = unsafeBitCast(function, to: Demangle.self)
        guard let text = demangle(name, name.utf8.count, nil, nil, 0) else { return nil }
        defer { free(text) }
        return String(cString: text)
    }
}
