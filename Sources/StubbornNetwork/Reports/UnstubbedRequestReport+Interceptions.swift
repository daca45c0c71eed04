import Foundation

extension StubbornNetworkError {
    /// Returns the error for a request of `URLSession.shared` that could be for any of several networks.
    ///
    /// `names` are the interceptions in force, in the order in which they began.
    static func ambiguousInterception(_ url: URL?, inForce names: [String]) -> Self {
        var report = UnstubbedRequestReport(cause: .ambiguous, request: url.map(name) ?? "no URL")
        report.interceptions = names
        return Self(.ambiguousInterception, report.description, url: url, detail: report)
    }
}

extension UnstubbedRequestReport {
    /// Returns the text on a request of `URLSession.shared` that no network intercepts.
    ///
    /// `request` is its method and URL, without secrets; it is `nil` for a request without a URL.
    static func textWithoutInterception(of request: String?) -> String {
        """
        No stub answers \(request ?? "a request") of URLSession.shared: no network intercepts it here. The network was not \
        touched.
        To stub it in a test:  @Test(.stubbed(sharedSession: true))
        To stub it in an XCTest:  stubbedNetwork(sharedSession: true)
        To stub it anywhere:  let interception = network.interceptSharedSession()
        """
    }
}
