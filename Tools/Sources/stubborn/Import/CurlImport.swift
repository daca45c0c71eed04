import Foundation
import StubbornNetwork
@_spi(Tools) import StubbornNetworkTooling

/// Reads `curl` commands as requests.
struct CurlImport {
    /// The directory that files in commands (`-d @body.json`) are relative to.
    let directory: URL

    /// Returns the requests of all `curl` commands in a text, and the reasons why others cannot be read.
    ///
    /// - Throws: `ToolError` for a text without a command that can be read.
    func requests(in text: String, of file: String) throws -> (requests: [StubRequest], failures: [String]) {
        if text.contains("^\""), text.contains("^\n") || text.contains("^\r\n") || !text.contains("'") {
            throw ToolError("\(file) has a command for Windows' cmd. In the browser, choose \"Copy as cURL (bash)\".")
        }
        var requests: [StubRequest] = []
        var failures: [String] = []
        var pipeline: [[String]] = [[]]
        for element in try ShellWords.elements(of: text) {
            switch element {
            case .word(let word): pipeline[pipeline.count - 1].append(word)
            case .pipe: pipeline.append([])
            case .end:
                do {
                    requests += try self.requests(in: pipeline)
                } catch let error as ToolError {
                    failures.append(error.message)
                }
                pipeline = [[]]
            }
        }
        guard !requests.isEmpty else { throw ToolError(failures.first ?? "\(file) has no curl command.") }
        return (requests, failures)
    }

    private func requests(in pipeline: [[String]]) throws -> [StubRequest] {
        var input: Data?
        for words in pipeline {
            // A shell's prompt, and variables that are set for one command.
            let words = Array(words.drop { ["$", "%", ">"].contains($0) || $0.contains("=") && !$0.hasPrefix("-") })
            switch words.first.map({ $0.split(separator: "/").last.map(String.init) ?? $0 }) {
            case "curl", "curl.exe":
                // Each part has options of its own.
                return try words.dropFirst().split(whereSeparator: { $0 == "--next" || $0 == "-:" }).flatMap { part in
                    var command = CurlCommand(directory: directory, input: input)
                    return try command.requests(Array(part))
                }
            case "echo", "printf": input = Data((words.last ?? "").utf8)
            case "base64": input = input.flatMap { Data(base64Encoded: $0, options: .ignoreUnknownCharacters) }
            default: input = nil
            }
        }
        return []
    }
}

/// One `curl` command.
private struct CurlCommand {
    let directory: URL
    /// The bytes on standard input, for `@-`.
    let input: Data?

    private var urls: [String] = []
    private var method: String?
    private var fields = HeaderFields()
    private var removed: Set<String> = []
    private var data: [Data] = []
    private var parts: [MultipartBody.Part] = []
    private var upload: Data?
    private var isGet = false
    private var isHead = false
    private var isJSON = false

    init(directory: URL, input: Data?) {
        self.directory = directory
        self.input = input
    }

    mutating func requests(_ words: [String]) throws -> [StubRequest] {
        var words = words[...]
        var hasOptions = true
        while let word = words.popFirst() {
            if hasOptions, word == "--" {
                hasOptions = false
            } else if hasOptions, word.hasPrefix("--") {
                try readLong(word, &words)
            } else if hasOptions, word.hasPrefix("-"), word.count > 1 {
                try readShort(word.dropFirst(), &words)
            } else {
                urls.append(word)
            }
        }
        guard !urls.isEmpty else { throw ToolError("A curl command has no URL: curl \(words.joined(separator: " "))") }
        return try urls.map(request)
    }

    // MARK: Options

    private mutating func readLong(_ word: String, _ words: inout ArraySlice<String>) throws {
        let name = String(word.prefix { $0 != "=" })
        func value() throws -> String {
            if name.count < word.count { return String(word.dropFirst(name.count + 1)) }
            guard let value = words.popFirst() else { throw ToolError("curl's \(name) has no value.") }
            return value
        }
        if CurlOption.ofRequestLong.contains(name) {
            try apply(name, try value())
        } else if CurlOption.flagsOfRequest.values.contains(name) {
            applyFlag(name)
        } else if CurlOption.otherWithValue.contains(name) {
            _ = try value()
        } else if !CurlOption.otherFlags.contains(word), !word.hasPrefix("--no-") {
            throw ToolError("The option \(word) of curl is not known. Remove it, with its value if it has one.")
        }
    }

    /// Reads options of one letter, several of which may be in one word: `-sXPOST`.
    private mutating func readShort(_ letters: Substring, _ words: inout ArraySlice<String>) throws {
        var letters = letters
        while let letter = letters.popFirst() {
            let name = "-\(letter)"
            if CurlOption.ofRequest[name] != nil || CurlOption.otherWithValue.contains(name) {
                guard let value = letters.isEmpty ? words.popFirst() : String(letters) else {
                    throw ToolError("curl's \(name) has no value.")
                }
                if let long = CurlOption.ofRequest[name] { try apply(long, value) }
                return
            } else if let flag = CurlOption.flagsOfRequest[name] {
                applyFlag(flag)
            } else if !CurlOption.otherFlags.contains(name) {
                throw ToolError("The option \(name) of curl is not known. Remove it, with its value if it has one.")
            }
        }
    }

    private mutating func applyFlag(_ name: String) {
        if name == "--get" { isGet = true } else { isHead = true }
    }

    private mutating func apply(_ name: String, _ value: String) throws {
        switch name {
        case "--url": urls.append(value)
        case "--request": method = value
        case "--header": addField(value)
        case "--user-agent": fields["User-Agent"] = value
        case "--referer": fields["Referer"] = value
        // Without "=" it is the name of a file with cookies.
        case "--cookie": if value.contains("=") { fields["Cookie"] = value }
        case "--range": fields["Range"] = "bytes=\(value)"
        case "--user": fields["Authorization"] = "Basic " + Data(value.utf8).base64EncodedString()
        case "--oauth2-bearer": fields["Authorization"] = "Bearer \(value)"
        case "--data", "--data-ascii": data.append(try content(value, isText: true))
        case "--data-binary": data.append(try content(value, isText: false))
        case "--data-raw": data.append(Data(value.utf8))
        case "--data-urlencode": data.append(try encoded(value))
        case "--json":
            isJSON = true
            data.append(try content(value, isText: false))
        case "--upload-file": upload = value == "-" ? input ?? Data() : try file(value)
        case "--form": parts.append(try part(value))
        case "--form-string":
            let pair = value.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            parts.append(MultipartBody.Part(name: String(pair[0]), content: Data((pair.count > 1 ? pair[1] : "").utf8)))
        default: break
        }
    }

    /// Adds `Name: value`; `Name:` stands for no such field, `Name;` for one without a value.
    private mutating func addField(_ text: String) {
        if let colon = text.firstIndex(of: ":") {
            let name = String(text[..<colon])
            let value = text[text.index(after: colon)...].trimmingCharacters(in: .whitespaces)
            if value.isEmpty { removed.insert(name.lowercased()) } else { fields.append(name: name, value: value) }
        } else if text.hasSuffix(";") {
            fields.append(name: String(text.dropLast()), value: "")
        }
    }

    // MARK: Bodies

    private func file(_ path: String) throws -> Data {
        try ToolError.naming("The file \(path) of a curl command", "read") {
            try Data(contentsOf: URL(fileURLWithPath: path, relativeTo: directory))
        }
    }

    /// Returns the value of `-d`: a text, or the file behind `@`, of which line breaks are left out if it is a text.
    private func content(_ value: String, isText: Bool) throws -> Data {
        guard value.hasPrefix("@") else { return Data(value.utf8) }
        let content = value == "@-" ? input ?? Data() : try file(String(value.dropFirst()))
        return isText ? content.filter { $0 != 0x0A && $0 != 0x0D } : content
    }

    /// Returns the value of `--data-urlencode`: `content`, `=content`, `name=content`, `@file` or `name@file`.
    private func encoded(_ value: String) throws -> Data {
        guard let mark = value.firstIndex(where: { $0 == "=" || $0 == "@" }) else {
            return Data(value.formEncoded.utf8)
        }
        let rest = String(value[value.index(after: mark)...])
        let content = value[mark] == "@" ? String(decoding: try file(rest), as: UTF8.self) : rest
        let name = value[..<mark]
        return Data(((name.isEmpty ? "" : "\(name)=") + content.formEncoded).utf8)
    }

    /// Returns a part of `-F`: `name=value`, `name=@file;type=image/png;filename=a.png` or `name=<file`.
    ///
    /// A value or a file's name may be in quotation marks, in which `\"` and `\\` stand for `"` and `\`.
    private func part(_ value: String) throws -> MultipartBody.Part {
        let pair = value.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
        var rest = pair.count > 1 ? pair[1] : ""
        var part = MultipartBody.Part(name: String(pair[0]), content: Data())
        let mark = rest.first.flatMap { "@<".contains($0) ? $0 : nil }
        if mark != nil { rest = rest.dropFirst() }
        var text = Self.word(&rest)
        while rest.popFirst() != nil {
            let option = rest.drop { $0 == " " }
            if option.hasPrefix("filename=") {
                rest = option.dropFirst(9)
                part.fileName = Self.word(&rest)
            } else {
                let word = rest.prefix { $0 != ";" }
                rest = rest.dropFirst(word.count)
                if option.hasPrefix("type=") {
                    part.contentType = word.drop { $0 == " " }.dropFirst(5).trimmingCharacters(in: .whitespaces)
                } else {
                    text += ";" + word
                }
            }
        }
        guard let mark else {
            part.content = Data(text.utf8)
            return part
        }
        part.content = text == "-" ? input ?? Data() : try file(text)
        if mark == "@" {
            part.fileName = part.fileName ?? text.split(separator: "/").last.map(String.init) ?? text
            part.contentType = part.contentType ?? "application/octet-stream"
        }
        return part
    }

    /// Reads a text up to the next semicolon; one in quotation marks may have semicolons.
    private static func word(_ rest: inout Substring) -> String {
        guard rest.first == "\"" else {
            let word = rest.prefix { $0 != ";" }
            rest = rest.dropFirst(word.count)
            return String(word)
        }
        var quoted = rest.dropFirst()
        var result = ""
        while let character = quoted.popFirst() {
            if character == "\"" {
                // What is between the end and the semicolon is dropped, as curl does.
                rest = quoted.drop { $0 != ";" }
                return result
            }
            let isEscape = character == "\\" && (quoted.first == "\"" || quoted.first == "\\")
            result.append(isEscape ? quoted.removeFirst() : character)
        }
        // Without an end it is a text like any other.
        let word = rest.prefix { $0 != ";" }
        rest = rest.dropFirst(word.count)
        return String(word)
    }

    // MARK: The request

    private func request(_ address: String) throws -> StubRequest {
        // curl takes an address without a scheme as http.
        var text = address.contains("://") ? address : "http://" + address
        var body: Data?
        var type: String?
        if isGet, !data.isEmpty {
            text +=
                (text.contains("?") ? "&" : "?")
                + data.map { String(decoding: $0, as: UTF8.self) }.joined(separator: "&")
        } else if !data.isEmpty {
            body = Data(data.joined(separator: Data((isJSON ? "" : "&").utf8)))
            type = isJSON ? "application/json" : "application/x-www-form-urlencoded"
        } else if !parts.isEmpty {
            let boundary =
                fields["Content-Type"].flatMap(StubFile.multipartBoundary) ?? "------------------------stubborn"
            body = MultipartBody.data(parts, boundary: boundary)
            type = "multipart/form-data; boundary=\(boundary)"
        } else {
            body = upload
        }
        guard let url = URL(asWritten: String(text.prefix { $0 != "#" })), Origin(url) != nil else {
            throw ToolError("\(address) in a curl command is not an HTTP URL.")
        }
        var fields = fields
        if let type, fields["Content-Type"] == nil, !removed.contains("content-type") { fields["Content-Type"] = type }
        if isJSON, fields["Accept"] == nil { fields["Accept"] = "application/json" }
        let usual =
            isHead ? "HEAD" : body == nil ? "GET" : upload != nil && data.isEmpty && parts.isEmpty ? "PUT" : "POST"
        return StubRequest(method: method ?? usual, url: url, headerFields: fields, body: body)
    }
}
