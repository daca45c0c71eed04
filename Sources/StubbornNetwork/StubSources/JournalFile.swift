import Foundation

/// A journal next to a stub file.
struct JournalFile: Sendable {
    let number: Int
    let path: String
    var content: JournalContent
    /// A Boolean value that indicates whether the process that writes the journal is recording.
    let isRecording: Bool

    /// Finds the journals of a generation, but for this process's own, in the order of their numbers.
    ///
    /// `known` has the journals as this process has read them before.
    static func all(
        of generation: String,
        in sidecars: StubFileStore.Sidecars,
        beside store: StubFileStore,
        except own: Int? = nil,
        known: [Int: JournalFile] = [:]
    ) throws(SystemError) -> [JournalFile] {
        var found: [JournalFile] = []
        for (_, number, path) in sidecars.journals.filter({ $0.generation == generation && $0.number != own })
            .sorted(by: { $0.number < $1.number })
        {
            do throws(SystemError) {
                found.append(try JournalFile(number, at: path, of: store.file, known: known[number]?.content))
            } catch {
                // Deleted in the meantime, or not readable by this user.
                guard [ENOENT, EACCES, EPERM].contains(error.number) else { throw error }
            }
        }
        return found
    }

    private init(_ number: Int, at path: String, of file: URL, known: JournalContent?) throws(SystemError) {
        self.number = number
        self.path = path
        // Some network file systems lock only what may be written.
        let descriptor: FileDescriptor
        do throws(SystemError) { descriptor = try .appending(path) } catch { descriptor = try .reading(path) }
        let fingerprint = try descriptor.fingerprint()
        let size = Int(clamping: fingerprint.size)
        if let known, known.byteCount == size {
            content = known
        } else {
            content = JournalContent(try descriptor.availableData(in: 0..<size), of: file)
        }
        switch try descriptor.tryLock() {
        case .taken: isRecording = false
        case .heldByOther: isRecording = true
        case .unavailable: isRecording = content.head?.isAlive(since: fingerprint.modification) ?? false
        }
        try? descriptor.finish()
    }
}

extension JournalLine.Head {
    /// Returns a Boolean value that indicates whether the process lives, on a file system without locks: on this machine
    /// if it exists, on another one for a day after its last line.
    fileprivate func isAlive(since modification: Int64) -> Bool {
        if host == SystemProcess.host { return SystemProcess.exists(process) }
        return Date().timeIntervalSince1970 - Double(modification) / 1e9 < 86_400
    }
}
