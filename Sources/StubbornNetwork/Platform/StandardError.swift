import Foundation

/// Where this library speaks to whoever runs the process, when nothing else is left to tell it to.
enum StandardError {
    static func write(_ message: String) {
        StandardErrorDescriptor.send(Data("StubbornNetwork: \(message)\n".utf8))
    }
}
