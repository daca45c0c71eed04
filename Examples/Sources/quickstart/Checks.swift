// What the quickstart promises, and whether it was so.

import ArgumentParser
import Foundation

struct Checks {
    private var broken: [String] = []

    mutating func expect(_ isAsPromised: Bool, _ otherwise: String) {
        if !isAsPromised { broken.append(otherwise) }
    }

    /// Throws, and so ends the program with exit code 1, unless all was as promised.
    func report() throws {
        guard !broken.isEmpty else { return }
        FileHandle.standardError.write(Data("Not as promised: \(broken.joined(separator: "; ")).\n".utf8))
        throw ExitCode.failure
    }
}
