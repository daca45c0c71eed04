// The promises of the quickstart, and those that were broken. If a promise is broken, the program fails at its end,
// after printing everything.

import Foundation

struct Promises {
    private var broken: [String] = []

    mutating func check(_ isKept: Bool, _ promise: String) {
        if !isKept { broken.append(promise) }
    }

    func verify() throws {
        guard broken.isEmpty else { throw BrokenPromises(promises: broken) }
    }
}

struct BrokenPromises: LocalizedError {
    var promises: [String]

    var errorDescription: String? { "Not as promised. " + promises.joined(separator: " ") }
}
