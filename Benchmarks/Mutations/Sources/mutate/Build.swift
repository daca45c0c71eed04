import Foundation
import Mutations

/// Builds a sample into the copy, without the mistakes that do not compile.
struct Build {
    private let checkout: Checkout
    private let suite: TestSuite

    init(_ checkout: Checkout, _ suite: TestSuite) {
        self.checkout = checkout
        self.suite = suite
    }

    /// - Returns: the mutants that are built in.
    func run(_ sample: [NumberedMutant]) throws -> [NumberedMutant] {
        var sample = sample
        for round in 1...6 {
            say("Building \(sample.count) mistakes, round \(round) …")
            let schemata = try write(sample)
            let build = try suite.build(log: "build-\(round)")
            if build.status == 0 { return sample }
            var dropped: Set<Int> = []
            for match in build.output.matches(of: /(?m)^(\/.+?\.swift):(\d+):\d+: error: (.*)$/) {
                guard let file = schemata.first(where: { match.1.hasSuffix("/\($0.key)") }), let line = Int(match.2)
                else {
                    continue
                }
                let blamed = file.value.mutants(near: line)
                if !dropped.isSuperset(of: blamed) { say("\(file.key):\(line) does not compile: \(match.3)") }
                dropped.formUnion(blamed)
            }
            guard !dropped.isEmpty else {
                throw Failure("The copy does not build:\n\(build.output.suffix(4000))")
            }
            sample.removeAll { dropped.contains($0.number) }
        }
        throw Failure("After six rounds there are still mistakes that do not compile.")
    }

    private func write(_ sample: [NumberedMutant]) throws -> [String: Schemata] {
        let files = Dictionary(grouping: sample, by: \.path)
        try checkout.copy(keeping: Array(files.keys))
        var result: [String: Schemata] = [:]
        for (path, mutants) in files {
            let numbered = Dictionary(uniqueKeysWithValues: mutants.map { ($0.number, $0.mutant) })
            let schemata = try Schemata(checkout.text(of: path), numbered)
            try checkout.write(Data(schemata.text.utf8), to: path)
            result[path] = schemata
        }
        return result
    }
}
