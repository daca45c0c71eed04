@testable import StubbornNetwork

/// A run that is merged into a file: its base and what others have added.
struct MergedRun {
    var base: [StubFileEntry] = []
    var foreign: [StubFileEntry] = []
    var recorded: [StubFileEntry] = []
    var replaces = false
    var keepsErrorsAlone = true
    var dropsUnrequested = false
    var rules = MergeRules()

    func document() throws -> StubFileDocument {
        var run = RecordingRun()
        run.base = try base.reduce(into: [:]) { $0[try $1.identity(), default: 0] += 1 }
        run.rules = rules
        for (number, entry) in recorded.enumerated() {
            run.add(.init(entry, requestNumber: number, replaces: replaces, keepsErrorsAlone: keepsErrorsAlone))
        }
        // A run that asked for nothing replaces too, here.
        if recorded.isEmpty, replaces, dropsUnrequested { return StubFileDocument(entries: base + foreign) }
        var file = try (base + foreign).map { try IdentifiedEntry($0) }
        run.merge(into: &file, isOwn: true, dropsUnrequested: dropsUnrequested)
        return StubFileDocument(entries: file.map(\.entry))
    }
}
