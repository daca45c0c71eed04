/// A small HTTP server on a free loopback port, for tests.
public enum LoopbackServer {}
