import Foundation

/// A number as a type: what makes one specialisation of a generic class differ from the next.
///
/// A `URLProtocol` is told a request and never its session, so the class itself has to say which network it is for. New
/// classes cannot be declared at run time, but a generic one can be specialised for ever new types.
protocol RouteMarker {
    /// This number with one more digit behind it.
    static func appending(digit: Int) -> any RouteMarker.Type
    /// The protocol class of this number.
    static var protocolClass: StubbedSessionURLProtocol.Type { get }
    /// The protocol class of this number for `URLSession.shared`.
    static var sharedSessionClass: SharedSessionURLProtocol.Type { get }
}

extension RouteMarker {
    static func appending(digit: Int) -> any RouteMarker.Type {
        switch digit & 3 {
        case 0: Digit0<Self>.self
        case 1: Digit1<Self>.self
        case 2: Digit2<Self>.self
        default: Digit3<Self>.self
        }
    }

    static var protocolClass: StubbedSessionURLProtocol.Type { RoutedURLProtocol<Self>.self }
    static var sharedSessionClass: SharedSessionURLProtocol.Type { RoutedSharedSessionURLProtocol<Self>.self }
}

private enum NoDigits: RouteMarker {}
private enum Digit0<Before: RouteMarker>: RouteMarker {}
private enum Digit1<Before: RouteMarker>: RouteMarker {}
private enum Digit2<Before: RouteMarker>: RouteMarker {}
private enum Digit3<Before: RouteMarker>: RouteMarker {}

private final class RoutedURLProtocol<Marker: RouteMarker>: StubbedSessionURLProtocol {}
private final class RoutedSharedSessionURLProtocol<Marker: RouteMarker>: SharedSessionURLProtocol {}

/// The protocol class of a number; the same for the same number, another for every other.
func protocolClass(number: Int) -> StubbedSessionURLProtocol.Type { marker(number: number).protocolClass }

/// The protocol class of a number for `URLSession.shared`; the same for the same number, another for every other.
func sharedSessionClass(number: Int) -> SharedSessionURLProtocol.Type { marker(number: number).sharedSessionClass }

private func marker(number: Int) -> any RouteMarker.Type {
    var marker: any RouteMarker.Type = NoDigits.self
    var rest = number
    repeat {
        marker = marker.appending(digit: rest)
        rest >>= 2
    } while rest > 0
    return marker
}
