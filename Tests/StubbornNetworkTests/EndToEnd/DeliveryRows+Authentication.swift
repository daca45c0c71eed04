import Foundation
import LoopbackServer
import StubbornNetwork

extension DeliveryRows {
    /// Challenges, with a delegate that answers, with stored credentials, and without either.
    static var authentication: [ClientCase] {
        var rows: [ClientCase] = []
        let path = "/basic-auth/ada/secret"
        for style in ClientStyle.dataTasks {
            rows.append(ClientCase("basic-auth without credentials", style, path: path, expecting: refused))
            var stored = ClientCase("basic-auth with stored credentials", style, path: path, expecting: welcome)
            stored.storesCredentials = true
            rows.append(stored)
        }
        for style in [ClientStyle.completion, .delegate, .asyncWithDelegate] { rows += delegates(style, path: path) }
        rows.append(ClientCase("bearer, refused", path: "/bearer/right", expecting: ["status": "401"]))
        rows.append(
            ClientCase(
                "bearer, accepted",
                path: "/bearer/right",
                headers: ["Authorization": "Bearer right"],
                expecting: ["status": "200"]
            )
        )
        return rows
    }

    private static func delegates(_ style: ClientStyle, path: String) -> [ClientCase] {
        let calls = "challenge HTTPBasic test 0 \(end(style))"
        let behaviours: [(String, ClientDelegate.Behaviour.Challenges, [String: String])] = [
            ("answers", .credential(user: "ada", password: "secret"), welcome.merging(["calls": calls]) { $1 }),
            ("answers wrongly", .credential(user: "ada", password: "wrong"), refused),
            ("leaves it to the default", .defaultHandling, refused),
            ("rejects", .reject, refused),
            ("cancels", .cancel, ["error": "NSURLErrorDomain -999"]),
        ]
        return behaviours.map { name, challenges, expecting in
            ClientCase(
                "basic-auth, a delegate that \(name)",
                style,
                path: path,
                behaviour: ClientDelegate.Behaviour(challenges: challenges),
                expecting: expecting
            )
        }
    }

    private static let refused: [String: String] = [
        "status": "401", "body": Seen.summary(of: Data("unauthorized".utf8)),
    ]
    private static let welcome: [String: String] = [
        "status": "200", "body": Seen.summary(of: Data("welcome ada".utf8)),
    ]

    private static func end(_ style: ClientStyle) -> String {
        switch style {
        case .delegate: "response 200 data completion"
        case .asyncWithDelegate: "response 200 completion"
        default: "completion"
        }
    }
}
