import StubbornNetwork

extension StubbornNetwork {
    /// The version of the library and of the `stubborn` command.
    @_spi(Tools) public static var version: String { "1.0.0" }
}
