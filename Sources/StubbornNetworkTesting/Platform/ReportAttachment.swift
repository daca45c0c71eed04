import Foundation
import StubbornNetwork
import Testing

extension UnstubbedRequestReport {
    /// Attaches the report to the running test, as JSON, if this version of Swift Testing has attachments.
    func attach(at location: SourceLocation) {
        #if compiler(>=6.2)
            Attachment.record(jsonString, named: "unstubbed-request.json", sourceLocation: location)
        #endif
    }
}
