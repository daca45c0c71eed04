/// A number as a type, which distinguishes the specializations of a generic class.
///
/// A `URLProtocol` knows its request and not its session, so its class must say which network it belongs to. New
/// classes cannot be declared at run time, but a generic class can be specialized for ever new types.
protocol RouteMarker {
    /// Returns the type of this number with another digit.
    static func appending(digit: Int) -> any RouteMarker.Type
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
}

private enum NoDigits: RouteMarker {}
private enum Digit0<Before: RouteMarker>: RouteMarker {}
private enum Digit1<Before: RouteMarker>: RouteMarker {}
private enum Digit2<Before: RouteMarker>: RouteMarker {}
private enum Digit3<Before: RouteMarker>: RouteMarker {}

/// Returns the type for a number; each number has a different type.
func routeMarker(number: Int) -> any RouteMarker.Type {
    var marker: any RouteMarker.Type = NoDigits.self
    var rest = number
    repeat {
        marker = marker.appending(digit: rest)
        rest >>= 2
    } while rest > 0
    return marker
}
