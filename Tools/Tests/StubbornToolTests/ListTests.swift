import Testing

@Suite struct ListTests {
    @Test func `the command is built`() {}
}
