import Foundation
import StubbornNetwork
import Testing

extension StubbornNetwork {
    /// Sends one more request on a session and waits for its response.
    ///
    /// It takes the same way as the requests before it. When this method returns, their clients have received every
    /// callback that the session still owed them.
    func answerOneMoreRequest(on session: URLSession) async throws {
        stub(.host("one-more.test"), with: .text("one more"))
        let log = ClientLog()
        session.dataTask(with: URL(string: "http://one-more.test/")!) { log.end($0, $1, $2) }.resume()
        try await eventually { log.ends > 0 }
    }
}
