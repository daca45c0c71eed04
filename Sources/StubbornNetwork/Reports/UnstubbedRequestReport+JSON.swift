import Foundation

extension UnstubbedRequestReport {
    /// The report for programs: one JSON object, keys sorted, without those that have nothing to say.
    ///
    ///     {
    ///       "cause" : "no stub matches",
    ///       "file" : "Stubs/Login.json",
    ///       "fixes" : [ { "code" : "network.requestMatcherOptions = …", "purpose" : "To ignore it" } ],
    ///       "matchers" : "[.httpMethod, .url, .requestBody]",
    ///       "matchersSource" : "default",
    ///       "mode" : "playback",
    ///       "modeSource" : "default",
    ///       "nearest" : { "differences" : [ … ], "ignoringOptions" : [ … ], "position" : "Stubs/Login.json:42", "stub" : …,
    ///                     "unused" : true },
    ///       "nearestDeclared" : { "differences" : [ … ], "stub" : … },
    ///       "networkTouched" : false,
    ///       "order" : ".sequenceThenLast",
    ///       "orderSource" : "default",
    ///       "request" : "GET https://api.example.com/users?page=2",
    ///       "stubs" : 7,
    ///       "stubsForThisPath" : 2,
    ///       "usedStubsForThisPath" : 1,
    ///       "usedUp" : [ … ]
    ///     }
    ///
    /// Names stay what they are; new ones may be added.
    public var jsonString: String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .prettyPrinted, .withoutEscapingSlashes]
        return (try? encoder.encode(Document(self))).map { String(decoding: $0, as: UTF8.self) } ?? "{}"
    }

    /// As `jsonString`, in UTF-8.
    public var json: Data { Data(jsonString.utf8) }

    private struct Document: Encodable {
        struct Nearest: Encodable {
            var stub: String
            var position: String?
            var unused: Bool?
            var differences: [String]
            var ignoringOptions: [String]?
        }

        struct Fix: Encodable {
            var purpose: String
            var code: String
        }

        var cause: String
        var request: String
        var mode: String
        var modeSource: String
        var file: String?
        var stubs: Int
        var stubsForThisPath: Int
        var usedStubsForThisPath: Int
        var usedUp: [String]?
        var nearest: Nearest?
        var nearestDeclared: Nearest?
        var matchers: String
        var matchersSource: String
        var order: String
        var orderSource: String
        var fixes: [Fix]
        var interceptions: [String]?
        var networkTouched = false

        init(_ report: UnstubbedRequestReport) {
            cause = report.cause.rawValue
            request = report.request
            mode = report.mode.rawValue
            modeSource = report.settings.modeSource
            file = report.file?.relativeDisplayPath
            stubs = report.stubCount
            stubsForThisPath = report.pathStubCount
            usedStubsForThisPath = report.usedPathStubCount
            usedUp = report.usedUp.isEmpty ? nil : report.usedUp
            nearest = report.nearest.map {
                Nearest(
                    stub: $0,
                    position: report.position,
                    unused: report.isNearestUnused,
                    differences: report.differences,
                    ignoringOptions: report.ignoringOptions
                )
            }
            nearestDeclared = report.nearestDeclared.map {
                Nearest(stub: $0, differences: report.declaredDifferences)
            }
            matchers = report.settings.matchers
            matchersSource = report.settings.matchersSource
            order = report.settings.order
            orderSource = report.settings.orderSource
            fixes = report.fixes.map { Fix(purpose: $0.purpose, code: $0.code) }
            interceptions = report.interceptions.isEmpty ? nil : report.interceptions
        }
    }
}
