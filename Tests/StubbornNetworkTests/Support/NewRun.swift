extension [String: String] {
    /// Variables with which each network is a run, as in a preview: what earlier networks of the process have recorded is
    /// old, as if the tests were started again.
    static let newRun = ["XCODE_RUNNING_FOR_PREVIEWS": "1"]
}
