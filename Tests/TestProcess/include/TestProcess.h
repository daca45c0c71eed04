// The module has no declarations: it is linked into the test bundle for what it does when the bundle is loaded.
