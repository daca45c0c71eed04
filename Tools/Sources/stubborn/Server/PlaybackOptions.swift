import ArgumentParser
import StubbornNetwork

/// The options that decide which recorded stub answers a request.
struct PlaybackOptions: ParsableArguments {
    enum Matching: String, CaseIterable, ExpressibleByArgument {
        case standard, strict, lenient
    }

    enum Order: String, CaseIterable, ExpressibleByArgument {
        case sequenceThenLast = "sequence-then-last"
        case sequence
        case firstMatch = "first-match"
        case stateful
    }

    @Option(
        help: """
            The parts of requests that are compared: standard (method, URL and body), strict (header fields too), \
            lenient (method, host and path). Parts that .stubborn.json ignores are not compared.
            """
    )
    var matching: Matching = .standard

    @Option(
        help: """
            The order of stubs for equal requests: sequence-then-last (the last one is repeated), sequence (each once), \
            first-match, stateful (a read gets answers from before a change until the change is made).
            """
    )
    var order: Order = .sequenceThenLast

    @Option(
        help: "The speed of stubs whose timing was recorded: immediate, recorded, or a factor of the recorded times."
    )
    var speed: Speed = .init(PlaybackSpeed.immediate)

    /// A playback speed on the command line.
    struct Speed: ExpressibleByArgument, CustomStringConvertible {
        let value: PlaybackSpeed
        let description: String

        init(_ value: PlaybackSpeed) {
            self.value = value
            description = "immediate"
        }

        init?(argument: String) {
            switch argument {
            case "immediate": value = .immediate
            case "recorded": value = .recorded
            default:
                guard let factor = Double(argument), factor > 0, factor.isFinite else { return nil }
                value = .delays(scaledBy: factor)
            }
            description = argument
        }
    }

    func apply(to network: StubbornNetwork) {
        switch matching {
        case .standard: break
        case .strict: network.requestMatcherOptions = .strict
        case .lenient: network.requestMatcherOptions = .lenient
        }
        switch order {
        case .sequenceThenLast: break
        case .sequence: network.playbackOrder = .sequence
        case .firstMatch: network.playbackOrder = .firstMatch
        case .stateful: network.playbackOrder = .stateful
        }
        network.playbackSpeed = speed.value
    }
}
