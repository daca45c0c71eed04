import Foundation
import StubbornNetwork
import Testing

extension TestFailures.Failure {
    /// Attaches the report to the running test, as JSON, if this version of Swift Testing has attachments.
    func attach(at location: SourceLocation) {
        #if compiler(>=6.2)
            Attachment.record(report.jsonString, named: "unstubbed-request.json", sourceLocation: location)
        #endif
    }
}
