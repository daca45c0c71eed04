import StubbornNetwork

extension StubbornNetwork {
    /// The version of the library and of the `stubborn` command; no other file has it.
    @_spi(Tools) public static var version: String { "1.0.0" }
}
