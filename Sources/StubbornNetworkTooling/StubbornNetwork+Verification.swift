import StubbornNetwork

extension StubbornNetwork {
    /// Waits until the real server has answered every request of `.verifying` so far.
    ///
    /// `verificationReport()` waits too, but takes longer with every request.
    @_spi(Tools) public func waitForVerification() async { await verificationEnd() }
}
