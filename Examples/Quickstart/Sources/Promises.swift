// What the quickstart promises, and which of it was not so. One promise that was broken fails the program at its end,
// when everything has been printed.

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
