import Foundation
import Testing

@testable import StubbornNetwork

/// The errors of a session's tasks, as the URL loading systems of Linux and of Apple's platforms hand them on.
struct HandedOnErrorTests {
    private let url = URL(string: "https://api.test/users")!

    private var error: StubbornNetworkError {
        StubbornNetworkError(
            .unreadableStubFile,
            "Stubs/a.json cannot be read.",
            url: url,
            file: URL(fileURLWithPath: "/Stubs/a.json"),
            underlyingError: URLError(.timedOut),
            detail: UnstubbedRequestReport(cause: .ambiguous, request: "GET https://api.test/users")
        )
    }

    /// Returns the error that Apple's URL loading system makes: the domain, the code, and the user info that it keeps.
    private func handedOn(_ error: any Error, keeping keys: Set<String>? = nil) -> NSError {
        let bridged = error as NSError
        let info = bridged.userInfo.filter { keys?.contains($0.key) ?? true }
        return NSError(domain: bridged.domain, code: bridged.code, userInfo: info)
    }

    @Test func `an error that is handed on as it is comes back whole`() {
        let found = StubbornNetworkError(error as any Error)
        #expect(found?.code == .unreadableStubFile)
        #expect(found?.report?.request == "GET https://api.test/users")
    }

    @Test func `an error that an NSError contains comes back whole`() {
        let found = StubbornNetworkError(handedOn(error))
        #expect(found?.code == .unreadableStubFile)
        #expect(found?.report?.request == "GET https://api.test/users")
        #expect(found?.message == "Stubs/a.json cannot be read.")
    }

    @Test func `an error is found below the errors that others have put around it`() {
        let inner = NSError(domain: NSURLErrorDomain, code: 1, userInfo: [NSUnderlyingErrorKey: handedOn(error)])
        let outer = NSError(domain: "Client", code: 2, userInfo: [NSUnderlyingErrorKey: inner])
        let found = StubbornNetworkError(outer)
        #expect(found?.code == .unreadableStubFile)
        #expect(found?.report?.request == "GET https://api.test/users")
    }

    @Test func `an error comes back without its report from what other user info says`() {
        let keys: Set = [
            NSLocalizedDescriptionKey, NSURLErrorFailingURLErrorKey, NSUnderlyingErrorKey, NSFilePathErrorKey,
        ]
        let found = StubbornNetworkError(handedOn(error, keeping: keys))
        #expect(found?.code == .unreadableStubFile)
        #expect(found?.message == "Stubs/a.json cannot be read.")
        #expect(found?.url == url)
        #expect(found?.file?.path == "/Stubs/a.json")
        #expect((found?.underlyingError as? URLError)?.code == .timedOut)
        #expect(found?.report == nil)
    }

    @Test func `every code comes back from the number of an NSError`() {
        for code in StubbornNetworkError.Code.all {
            #expect(StubbornNetworkError(handedOn(StubbornNetworkError(code, "Why."), keeping: []))?.code == code)
        }
        #expect(StubbornNetworkError.Code.all.map(\.number) == Array(1...17))
    }

    @Test func `an error of another domain, or with an unknown code, is not an error of this library`() {
        #expect(StubbornNetworkError(URLError(.timedOut)) == nil)
        #expect(StubbornNetworkError(NSError(domain: "Other", code: 1)) == nil)
        #expect(StubbornNetworkError(NSError(domain: StubbornNetworkError.errorDomain, code: 999)) == nil)
        #expect(StubbornNetworkError(CancellationError()) == nil)
    }

    private enum BookingError: LocalizedError {
        case soldOut
        var errorDescription: String? { "Sold out." }
        var failureReason: String? { "No seats are left." }
    }

    @Test func `the texts of an error are handed on if the bridged error lacks them`() {
        // On Linux, Foundation adds the texts to the bridged error.
        let bridged = NSError(domain: "BookingError", code: 0, userInfo: [NSLocalizedFailureReasonErrorKey: "No."])
        let info = BookingError.soldOut.completeUserInfo(of: bridged)
        #expect(
            info as? [String: String] == [
                NSLocalizedDescriptionKey: "Sold out.", NSLocalizedFailureReasonErrorKey: "No.",
            ]
        )
        #expect(CancellationError().completeUserInfo(of: NSError(domain: "Other", code: 1)).isEmpty)
    }

    @Test func `the error of a declared stub keeps its texts on every platform`() async {
        let network = StubbornNetwork(.ephemeral, environment: [:])
        network.stub(.any, with: .failure(BookingError.soldOut))
        let error = await #expect(throws: (any Error).self) { try await network.session.data(from: url) }
        #expect(error?.localizedDescription == "Sold out.")
        #expect(error.map { $0 as NSError }?.localizedFailureReason == "No seats are left.")
    }

    @Test func `the error of a session's task is found on every platform`() async {
        let network = StubbornNetwork(.ephemeral, environment: [:])
        network.onUnstubbedRequest = { _ in }
        let error = await expectStubbornNetworkError { try await network.session.data(from: url) }
        #expect(error?.code == .unstubbedRequest)
    }
}
