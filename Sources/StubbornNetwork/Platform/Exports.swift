// On Linux, `URLSession` and its types are in a separate module. With this export, and Foundation's, a test that
// imports only this library can use requests, sessions and URL errors on every platform.
@_exported import Foundation

#if canImport(FoundationNetworking)
    @_exported import FoundationNetworking
#endif
