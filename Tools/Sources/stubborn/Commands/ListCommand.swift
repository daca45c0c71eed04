import ArgumentParser
import Foundation
@_spi(Tools) import StubbornNetwork

struct ListCommand: ParsableCommand {
    static let configuration = CommandConfiguration(commandName: "list", abstract: "Lists stub files.")
    @Argument var paths: [String] = ["."]
    func run() throws {
        for path in paths {
            let file = try StubFile(reading: URL(fileURLWithPath: path))
            print(path, file.stubs.count)
        }
    }
}
