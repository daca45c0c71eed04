// `swift run --package-path Examples example-server`: the server that the tests of BooksKit were recorded from. It runs
// until it is interrupted.

import ExampleServer

try await ExampleServer.run(port: 8417) { server in
    print("Listening on \(server.url.absoluteString)")
    try await Task.sleep(nanoseconds: .max)
}
