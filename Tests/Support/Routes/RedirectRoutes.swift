extension LoopbackServer {
    /// The routes that redirect, each with a body that names the target.
    ///
    /// - `/redirect/3`: 302 to `/redirect/2`, and so on to `/hello`, which is the third hop's target
    /// - `/redirect-to?url=/hello&status=307`: that `Location`, sent as decoded; 302 unless a status is given
    /// - `/redirect-loop`: 302 to itself
    static let redirectRoutes: [String: Route] = [
        "redirect": { _, parameters in
            number(parameters, in: 1...1000).map { hops in
                redirect(to: hops == 1 ? "/hello" : "/redirect/\(hops - 1)", status: 302)
            }
        },
        "redirect-to": { request, _ in
            guard let location = request.query("url"), !location.contains(where: \.isNewline),
                let status = number([request.query("status") ?? "302"], in: 300...399)
            else { return nil }
            return redirect(to: location, status: status)
        },
        "redirect-loop": { _, _ in redirect(to: "/redirect-loop", status: 302) },
    ]

    private static func redirect(to location: String, status: Int) -> Response {
        .text("redirect to \(location)", status: status, headers: [("Location", location)])
    }
}
