import Foundation

/// The times of a file under the names that they have in Darwin's headers.
extension stat {
    var st_atimespec: timespec { st_atim }
    var st_mtimespec: timespec { st_mtim }
    var st_ctimespec: timespec { st_ctim }
}

/// The numbers of errors that are two on Darwin, and one on Linux.
let ENOTSUP: CInt = 45
let EOPNOTSUPP: CInt = 102
