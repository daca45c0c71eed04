@testable import StubbornNetwork

/// Runs that are merged into a base: a first one that replaces stubs, and the one that is looked at.
struct MergedRun {
    var base: [StubFileEntry] = []
    /// What another run has recorded before.
    var foreign: [StubFileEntry] = []
    var recorded: [StubFileEntry] = []
    var replaces = false
    /// A Boolean value that indicates whether the run has ended well; `false` for a failed test, and `nil` for a killed process.
    var endsWell: Bool?
    var rules = MergeRules()

    func document() throws -> StubFileDocument {
        StubFileDocument(entries: try merge().entries)
    }

    func merge() throws -> StubFileMerge {
        var journals: [JournalContent] = []
        if !foreign.isEmpty { journals.append(journal(1, of: "other", foreign)) }
        journals.append(journal(2, of: "this", recorded))
        return StubFileMerge(base: base, journals: journals)
    }

    private func journal(_ number: Int, of run: String, _ entries: [StubFileEntry]) -> JournalContent {
        var content = JournalContent(number)
        let head = JournalLine.Head(run: run, process: 1, host: "", base: base.digest)
        content.note(JournalLine(head: head), in: 0..<0)
        content.note(JournalLine(rules: JournalLine.Rules(rules, base: base)), in: 0..<0)
        for (number, entry) in entries.enumerated() {
            var recording = Recording(entry.stub, requestNumber: number, replaces: replaces)
            recording.rules = rules
            let stored = StoredRecording(recording, entry)
            content.note(JournalLine(recording: stored.line), entry, in: 0..<0)
        }
        if let endsWell {
            content.note(JournalLine(endsWell: endsWell), in: 0..<0)
            content.note(JournalLine(endsRun: endsWell), in: 0..<0)
        }
        return content
    }
}
