// A test that imports this product uses networks and stubs too: one import is enough.
@_exported import StubbornNetwork
