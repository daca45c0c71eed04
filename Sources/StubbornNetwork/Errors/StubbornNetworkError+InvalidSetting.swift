import Foundation

extension StubbornNetworkError {
    /// The error for a setting of the environment that makes no sense.
    init(_ setting: InvalidSetting) {
        switch setting {
        case .unknownRecordMode(let value):
            let modes = RecordMode.allCases.map(\.rawValue).joined(separator: ", ")
            self.init(
                .invalidEnvironment,
                """
                STUB_RECORD_MODE is "\(value.prefix(80))", which is no record mode. Every request fails until it is one of: \
                \(modes).
                """
            )
        case .missingVariable(let missing, let present):
            self.init(
                .invalidEnvironment,
                """
                \(present.rawValue) is set and \(missing.rawValue) is not. Set both to keep stubs in a file, or neither to \
                keep them in memory.
                """
            )
        case .nowhereToRecord(let mode):
            self.init(
                .invalidEnvironment,
                """
                STUB_RECORD_MODE is \(mode.rawValue), and neither STUB_NAME nor STUB_PATH is set: the recording would be \
                lost with the process. Set both.
                """
            )
        case .unusableName(let name):
            self.init(
                .invalidLocation,
                """
                STUB_NAME is "\(name.prefix(80))", of which no file name is left without brackets and hyphens. Use the \
                test's name.
                """
            )
        }
    }
}
