#if !canImport(Darwin)
    import Foundation

    extension stat {
        var modificationTime: timespec { st_mtim }
    }
#endif
