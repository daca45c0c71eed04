// A test that imports this product also uses networks and stubs, so that one import is enough.
@_exported import StubbornNetwork
