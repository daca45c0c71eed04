/// The findings of the recorded stubs about a request that none of them answers.
package struct LookupDiagnosis {
    /// The number of stubs.
    var count = 0
    /// The number of stubs for the request's path, on any host, and the number of those that have answered.
    var pathCount = 0
    var usedPathCount = 0
    /// The stubs that match, and are used already.
    package var usedUp: [StubSummary] = []
    /// The stub with the fewest differences, with the request in the form in which it was compared.
    var nearest: (stub: StubSummary, differences: [RequestDifference])?
}

extension LookupDiagnosis {
    /// Returns the diagnosis of these stubs and those of a file that the test shares.
    func adding(_ shared: LookupDiagnosis) -> LookupDiagnosis {
        var sum = self
        sum.count += shared.count
        sum.pathCount += shared.pathCount
        sum.usedPathCount += shared.usedPathCount
        sum.usedUp += shared.usedUp
        let own = nearest?.differences.count ?? .max
        if let other = shared.nearest, other.differences.count < own { sum.nearest = other }
        return sum
    }
}
