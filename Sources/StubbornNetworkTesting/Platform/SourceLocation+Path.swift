import Testing

extension SourceLocation {
    /// The path of the file, which has another name in earlier versions of Swift Testing.
    var pathOfFile: String {
        #if compiler(>=6.3)
            filePath
        #else
            _filePath
        #endif
    }
}
