// A test that imports this product speaks of networks and stubs: one import is enough.
@_exported import StubbornNetwork
