/// The content types of common file extensions.
enum MediaType {
    /// Returns the content type for a file name; `application/octet-stream` for an unknown extension.
    static func of(fileName: String) -> String {
        let parts = fileName.split(separator: ".")
        guard parts.count > 1, let type = types[parts.last?.lowercased() ?? ""] else {
            return "application/octet-stream"
        }
        return type
    }

    private static let types = [
        "json": "application/json", "xml": "application/xml", "txt": "text/plain; charset=utf-8",
        "html": "text/html; charset=utf-8", "htm": "text/html; charset=utf-8", "css": "text/css; charset=utf-8",
        "js": "text/javascript; charset=utf-8", "csv": "text/csv; charset=utf-8", "md": "text/markdown; charset=utf-8",
        "png": "image/png", "jpg": "image/jpeg", "jpeg": "image/jpeg", "gif": "image/gif", "webp": "image/webp",
        "svg": "image/svg+xml", "heic": "image/heic", "pdf": "application/pdf", "zip": "application/zip",
        "mp3": "audio/mpeg", "m4a": "audio/mp4", "mp4": "video/mp4", "mov": "video/quicktime",
        "wasm": "application/wasm",
    ]
}
