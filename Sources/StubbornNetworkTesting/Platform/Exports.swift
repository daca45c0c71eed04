// Tests use networks and stubs too: one import is enough.
@_exported import StubbornNetwork
