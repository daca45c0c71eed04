import Foundation
import StubbornNetwork

/// Stub files as text, for tests to write.
enum Recorded {
    /// Returns a stub file with some stubs, each as JSON.
    static func file(_ stubs: String...) -> String { file(stubs) }

    static func file(_ stubs: [String]) -> String { "[\n  " + stubs.joined(separator: ",\n  ") + "\n]\n" }

    /// Returns a stub, as the library writes it, whose response has JSON in it.
    static func stub(
        _ path: String,
        method: String = "GET",
        status: Int = 200,
        json: String,
        headers: [String] = ["Content-Type[:::]application/json"]
    ) -> String {
        """
        {
            "json" : \(json),
            "request" : {
              "method" : "\(method)",
              "url" : "https://api.example.com\(path)"
            },
            "response" : {
              "headerFields" : [
                \(headers.map { "\"\($0)\"" }.joined(separator: ",\n        "))
              ],
              "statusCode" : \(status)
            }
          }
        """
    }

    /// Returns a stub with a body in base64.
    static func stub(_ path: String, type: String, body: Data, request: Data? = nil, requestType: String = "") -> String
    {
        let fields = request.map { body in
            """
            "headerFields" : [ "Content-Type[:::]\(requestType)" ], "requestData" : "\(body.base64EncodedString())", 
            """
        }
        return """
            {
                "data" : "\(body.base64EncodedString())",
                "request" : { \(fields ?? "")"method" : "GET", "url" : "https://api.example.com\(path)" },
                "response" : { "headerFields" : [ "Content-Type[:::]\(type)" ], "statusCode" : 200 }
              }
            """
    }
}
