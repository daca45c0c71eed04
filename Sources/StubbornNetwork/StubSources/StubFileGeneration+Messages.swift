import Foundation

extension String {
    /// The line for a `.gitignore`, in the messages about journals that were left.
    private static let adviceToIgnore = " A line .*.journal in .gitignore keeps such files from being committed."

    static func tookOver(_ count: Int, _ file: URL) -> String {
        """
        \(file.relativeDisplayPath) now has \(count.counting("more exchange")): a process that was killed \
        while it recorded had left \(count == 1 ? "it" : "them") in a journal next to the file.\(adviceToIgnore)
        """
    }

    static func leftoversStay(_ file: URL, _ reason: StubbornNetworkError) -> String {
        """
        Next to \(file.relativeDisplayPath) is the journal of a recording that was killed. It is played back, but cannot be \
        added to the file: \(reason.message)\(adviceToIgnore)
        """
    }

    static func damagedJournal(_ journal: URL, _ file: URL, readCount: Int) -> String {
        """
        A recording into \(file.relativeDisplayPath) that was killed left a damaged journal. \
        \(readCount.counting("exchange")) could be read, and \(readCount == 1 ? "is" : "are") in the file; the rest is \
        kept in \(journal.relativeDisplayPath). Record again, then delete it.\(adviceToIgnore)
        """
    }

    /// The message for an exit that does not wait any longer.
    static let lateAtExit = """
        \(SystemError.late.reason), when the process exited, and was not stored. Cancel it earlier, or leave it out with \
        a recording filter.
        """

    /// The message for a file that was edited while it was recorded into.
    static func edited(_ file: URL) -> String {
        """
        \(file.relativeDisplayPath) was changed during a recording. The changes stay, and the recordings were added.
        """
    }

    /// The message for stubs that no request of a run has asked for, at the end of the run.
    static func removed(_ entries: [StubFileEntry], from file: URL) -> String {
        let names = entries.map { "\($0.stub.request)" }
        return """
            \(entries.count == 1 ? "A stub was" : "\(entries.count) stubs were") removed from \(file.relativeDisplayPath), \
            because no request of this run needed \(entries.count == 1 ? "it" : "them"): \
            \(names.listed(upTo: 8).joined(separator: ", ")). If another process of the test uses them, give \
            both processes the same STUB_RUN.
            """
    }
}
