import Foundation

/// A file in memory without being read: its pages come when they are looked at, and may go again.
///
/// The file must not be cut short in place while it is mapped. Stub files are replaced as a whole, and small ones, which
/// people edit, are read instead.
final class MappedFile: Sendable {
    // Read only, and unmapped when this goes.
    nonisolated(unsafe) private let base: UnsafeMutableRawPointer
    private let count: Int

    fileprivate init(base: UnsafeMutableRawPointer, count: Int) {
        self.base = base
        self.count = count
    }

    deinit {
        munmap(base, count)
    }

    /// The content, which keeps the file mapped.
    var data: Data {
        Data(bytesNoCopy: base, count: count, deallocator: .custom { _, _ in withExtendedLifetime(self) {} })
    }

    /// Gives back the memory of pages that have been looked at. They come again when they are looked at again.
    ///
    /// - Parameter bytes: some of this file's; anything else is left alone.
    func forget(_ bytes: UnsafeRawBufferPointer) {
        guard let start = bytes.baseAddress else { return }
        let offset = start - UnsafeRawPointer(base)
        guard offset >= 0, offset + bytes.count <= count else { return }
        let page = Int(getpagesize())
        let first = (offset + page - 1) / page * page
        let end = (offset + bytes.count) / page * page
        guard first < end else { return }
        // Pages of a file that were never written to are the file's own again.
        madvise(base + first, end - first, MADV_DONTNEED)
    }
}

extension FileDescriptor {
    /// Maps the whole file.
    func mapped(count: Int) throws(SystemError) -> MappedFile {
        let base = mapping(count: count)
        guard let base, base != MAP_FAILED else { throw .last }
        return MappedFile(base: base, count: count)
    }
}
