import Foundation

struct Selector: Hashable {
    let name: String
}

func NSSelectorFromString(_ name: String) -> Selector { Selector(name: name) }

/// An object whose optional methods can be asked for, as those of all objects can in Objective-C.
protocol RespondingObject {
    var selectors: [String] { get }
}

/// An object with properties that the SDK does not declare, by key-value coding.
protocol KeyValueObject: AnyObject {
    var values: [String: Bool] { get set }
}

extension URLSessionConfiguration {
    func value(forKey key: String) -> Any? { (self as? any KeyValueObject)?.values[key] }
    func setValue(_ value: Bool, forKey key: String) { (self as? any KeyValueObject)?.values[key] = value }
}

extension NSObjectProtocol {
    func responds(to selector: Selector) -> Bool {
        (self as? any RespondingObject)?.selectors.contains(selector.name) ?? false
    }
}
