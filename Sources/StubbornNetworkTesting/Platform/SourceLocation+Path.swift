import Testing

extension SourceLocation {
    /// The path of the file, which earlier versions of Swift Testing keep under another name.
    var pathOfFile: String {
        #if compiler(>=6.3)
            filePath
        #else
            _filePath
        #endif
    }
}
