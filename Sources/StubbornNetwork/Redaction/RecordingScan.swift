import Foundation

struct RecordingScan { init(_ r: Redaction) {}; func scan(_ b: Data) throws(StubbornNetworkError) {} }
