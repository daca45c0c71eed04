// On Linux `URLSession` and its relatives live in a module of their own. Exporting it, and Foundation with it, lets a
// test that imports this library alone speak of requests, sessions and URL errors on every platform.
@_exported import Foundation

#if canImport(FoundationNetworking)
    @_exported import FoundationNetworking
#endif
