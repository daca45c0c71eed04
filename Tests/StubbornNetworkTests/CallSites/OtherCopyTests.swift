import Foundation
import Testing

@testable import StubbornNetwork

struct OtherCopyTests {
    @Test func `a process with one copy of the library gets no warning`() {
        #expect(NSClassFromString(String(reflecting: StubbornNetwork.self)) == StubbornNetwork.self)
        #expect(StubbornNetwork.warning(found: StubbornNetwork.self) == nil)
        #expect(StubbornNetwork.warning(found: nil) == nil)
    }

    @Test func `a process with two copies of the library gets a warning that names both`() throws {
        let name = Bundle(for: StubbornNetwork.self).bundleURL.lastPathComponent
        let other = Bundle(for: NSString.self).bundleURL.lastPathComponent
        #expect(
            StubbornNetwork.warning(found: NSString.self) == """
                warning: this process contains the library twice, in \(other) and in \(name). Each copy has its own \
                StubbornNetwork.standard and its own interceptions. Link the library into one of them only.
                """
        )
    }
}
