import Foundation

/// A line on standard error that shows how much is done: `[#########---------] 12/24`.
struct ProgressBar {
    let total: Int
    let isShown: Bool
    private var done = 0

    init(total: Int, isShown: Bool) {
        self.total = total
        self.isShown = isShown && total > 0
        show()
    }

    mutating func advance() {
        done += 1
        if done % max(1, total / 200) == 0 { show() }
    }

    /// Removes the line.
    func end() { write("\r\u{1B}[K") }

    private func show() {
        let width = 30
        let filled = width * min(done, total) / max(total, 1)
        let bar = String(repeating: "#", count: filled) + String(repeating: "-", count: width - filled)
        write("\r[\(bar)] \(done)/\(total)")
    }

    private func write(_ text: String) {
        guard isShown else { return }
        try? FileHandle.standardError.write(contentsOf: Data(text.utf8))
    }
}
