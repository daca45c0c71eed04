import Foundation

struct Selector: Hashable {
    let name: String
}

func NSSelectorFromString(_ name: String) -> Selector { Selector(name: name) }

/// An object whose optional methods can be asked for, as those of all objects can in Objective-C.
protocol RespondingObject {
    var selectors: [String] { get }
}

extension NSObjectProtocol {
    func responds(to selector: Selector) -> Bool {
        (self as? any RespondingObject)?.selectors.contains(selector.name) ?? false
    }
}
