import ArgumentParser

/// The command itself: it has no work of its own, only subcommands.
@main
struct Stubborn: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "stubborn",
        abstract: "Looks at, reviews, checks, converts and serves the recordings of The Stubborn Network.",
        subcommands: [ListCommand.self]
    )
}
