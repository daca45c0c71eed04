import StubbornNetwork
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

extension UnstubbedRequestReport {
    /// Attaches the report to the running test, as JSON, if this version of Swift Testing has attachments.
    func attach(at location: SourceLocation) {
        #if compiler(>=6.2)
            Attachment.record(jsonString, named: "unstubbed-request.json", sourceLocation: location)
        #endif
    }
}
