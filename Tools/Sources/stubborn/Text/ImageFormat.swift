import Foundation

/// The format of an image, by its first bytes.
enum ImageFormat: String, CaseIterable {
    case png = "PNG"
    case gif = "GIF"
    case jpeg = "JPEG"
    case webp = "WebP"
    case bmp = "BMP"

    /// Returns the format of an image; `nil` for anything else.
    init?(_ data: Data) {
        guard let format = Self.allCases.first(where: { $0.begins(data) }) else { return nil }
        self = format
    }

    private func begins(_ data: Data) -> Bool {
        switch self {
        case .png: data.starts(with: [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A])
        case .gif: data.starts(with: Data("GIF8".utf8))
        case .jpeg: data.starts(with: [0xFF, 0xD8, 0xFF])
        case .webp: data.starts(with: Data("RIFF".utf8)) && data.dropFirst(8).starts(with: Data("WEBP".utf8))
        // Two letters may begin a string. Four bytes after the length are zero.
        case .bmp: data.starts(with: Data("BM".utf8)) && data.dropFirst(6).starts(with: [0, 0, 0, 0])
        }
    }
}
