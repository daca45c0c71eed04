extension [String: String] {
    /// Variables with which each network is a run, as in a preview: what earlier networks of the process have recorded is
    /// old, as if the tests were started again.
    ///
    /// All recordings have one date, so that they can be compared.
    static let newRun = ["XCODE_RUNNING_FOR_PREVIEWS": "1", "SOURCE_DATE_EPOCH": "0"]
}
