/// The destination of a request of `URLSession.shared`.
enum SharedSessionRoute: Equatable {
    /// The real server: no interception is in force.
    case realNetwork
    /// The interception of this number.
    case interception(Int)
    /// None: the interception of the request's task has ended, and others are in force.
    case ended
    /// None: interceptions of several networks are in force, and the request's task belongs to none of them.
    case ambiguous

    /// Finds the destination of a request.
    ///
    /// - Parameters:
    ///   - task: the number of the interception to which the task belongs that starts the request.
    ///   - inForce: the interceptions in force when the request starts.
    init(task: Int?, inForce: InterceptionsInForce) {
        guard let latest = inForce.latest else {
            self = inForce.fallback.map(Self.interception) ?? .realNetwork
            return
        }
        switch task {
        case let task? where inForce.contains(task): self = .interception(task)
        case .some: self = .ended
        // Two interceptions of one network give the same answer.
        case nil: self = inForce.networkCount == 1 ? .interception(latest) : .ambiguous
        }
    }
}

/// The numbers of the interceptions in force, and how many networks they belong to.
struct InterceptionsInForce {
    /// The number of the interception that began last.
    private(set) var latest: Int?
    /// The number of the interception that takes all requests when no other is in force.
    private(set) var fallback: Int?
    private var networks: [Int: ObjectIdentifier] = [:]
    private var counts: [ObjectIdentifier: Int] = [:]

    var networkCount: Int { counts.count }
    var numbers: [Int] { networks.keys.sorted() }

    func contains(_ number: Int) -> Bool { networks[number] != nil || fallback == number }

    mutating func insertFallback(_ number: Int) {
        fallback = number
    }

    mutating func insert(_ number: Int, network: ObjectIdentifier) {
        guard networks.updateValue(network, forKey: number) == nil else { return }
        counts[network, default: 0] += 1
        latest = networks.keys.max()
    }

    mutating func remove(_ number: Int) {
        if fallback == number { fallback = nil }
        guard let network = networks.removeValue(forKey: number) else { return }
        let count = counts[network, default: 0] - 1
        counts[network] = count > 0 ? count : nil
        if latest == number { latest = networks.keys.max() }
    }
}
