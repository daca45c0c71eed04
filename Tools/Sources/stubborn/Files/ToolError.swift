/// The reason why a command cannot do its work: what is wrong, where, and what to do about it.
///
/// It ends the command with the exit status 2.
struct ToolError: Error {
    let message: String

    init(_ message: String) {
        self.message = message
    }
}
