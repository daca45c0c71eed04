import Foundation
import StubbornNetwork
import Testing

extension StubbornNetwork {
    /// Has one more request answered on a session. It takes the same way as those before it, so whatever the session still
    /// had to tell their clients has been told when this returns.
    func answerOneMoreRequest(on session: URLSession) async throws {
        stub(.host("one-more.test"), with: .text("one more"))
        let log = ClientLog()
        session.dataTask(with: URL(string: "http://one-more.test/")!) { log.end($0, $1, $2) }.resume()
        try await eventually { log.ends > 0 }
    }
}
