import Foundation

@testable import StubbornNetwork

/// The task that a request belongs to.
enum TaskKind: Sendable {
    case data
    /// A data task in a state: whether CFNetwork ever stops the protocol of a suspended task is not known.
    case dataTask(URLSessionTask.State)
    /// A data task with a delegate of its own.
    case dataWithDelegate
    /// A data task with a delegate of its own that is asked about redirects.
    case dataWithRedirectDelegate
    /// A download: the loader puts what arrives into a file.
    case download
    /// An upload of data, which the request shows or not: only the task has it then.
    case upload(Data?, showsBody: Bool = false)
    /// An upload of a stream that the delegate is asked for, which the request does not show.
    case streamedUpload
    /// None, as for `NSURLConnection`.
    case none

    /// Returns the task that the protocol is created with; `nil` if it is created with the request.
    func task(for request: URLRequest) -> URLSessionTask? {
        switch self {
        case .data: SimulatedDataTask(request, .running)
        case .dataWithDelegate: SimulatedDataTask(request, .running, delegate: SimulatedDelegate())
        case .dataWithRedirectDelegate: SimulatedDataTask(request, .running, delegate: SimulatedRedirectDelegate())
        case .download: SimulatedDownloadTask(request)
        case .dataTask(let state): SimulatedDataTask(request, state)
        case .upload(let body, _): SimulatedUploadTask(request, byteCount: Int64(body?.count ?? 0))
        case .streamedUpload: SimulatedUploadTask(request, byteCount: NSURLSessionTransferSizeUnknown)
        case .none: nil
        }
    }
}

/// The time at which the loader sets the error of a task that it stops.
///
/// Decompiled code sets the state, then cancels the connection, which stops the protocol on another thread, then sets the error.
enum ErrorTime: Sendable {
    case beforeStop, afterStop, never
}

/// The end of a task by its loader: `error` is `nil` until the loader sets it.
struct TaskFailure {
    var isCancelling = false
    var error: URLError?
    /// The thread that is stopping the protocol; `nil` if none is.
    var stoppingThread: ObjectIdentifier?
    /// A Boolean value that indicates whether the error was read by that thread, which must not wait for it.
    var isReadWhileStopping = false
}

/// A task that its loader stops.
protocol SimulatedTask: URLSessionTask {
    var failure: Lock<TaskFailure> { get }
}

extension SimulatedTask {
    /// Returns the state of the task.
    func state(whileLoading state: URLSessionTask.State) -> URLSessionTask.State {
        failure.withLock { $0.isCancelling } ? .canceling : state
    }

    /// The error that the loader has set.
    var errorOfLoader: (any Error)? {
        failure.withLock { failure in
            if failure.stoppingThread == ObjectIdentifier(Thread.current) { failure.isReadWhileStopping = true }
            return failure.error
        }
    }

    /// Marks the task as being cancelled, and sets its error at a time.
    func cancel(with error: URLError, at time: ErrorTime) {
        failure.withLock { $0 = TaskFailure(isCancelling: true, error: time == .beforeStop ? error : nil) }
        guard time == .afterStop else { return }
        DispatchQueue.global().asyncAfter(deadline: .now() + 0.005) { [failure] in failure.withLock { $0.error = error }
        }
    }
}

private final class SimulatedDataTask: URLSessionDataTask, SimulatedTask, @unchecked Sendable {
    let failure = Lock(TaskFailure())
    private let request: URLRequest
    private let simulatedState: URLSessionTask.State
    private let simulatedDelegate: (any URLSessionTaskDelegate)?

    init(_ request: URLRequest, _ state: URLSessionTask.State, delegate: (any URLSessionTaskDelegate)? = nil) {
        self.request = request
        simulatedState = state
        simulatedDelegate = delegate
        super.init()
    }

    override var originalRequest: URLRequest? { request }
    override var currentRequest: URLRequest? { request }
    override var state: URLSessionTask.State { state(whileLoading: simulatedState) }
    override var error: (any Error)? { errorOfLoader }
    override var delegate: (any URLSessionTaskDelegate)? {
        get { simulatedDelegate }
        set {}
    }
}

/// A delegate that nobody calls: the simulated client answers in its place.
private final class SimulatedDelegate: NSObject, URLSessionTaskDelegate {}

/// A delegate that implements the method for redirects, which nobody calls either.
final class SimulatedRedirectDelegate: NSObject, URLSessionTaskDelegate, RespondingObject {
    let selectors = ["URLSession:task:willPerformHTTPRedirection:newRequest:completionHandler:"]
}

private final class SimulatedDownloadTask: URLSessionDownloadTask, SimulatedTask, @unchecked Sendable {
    let failure = Lock(TaskFailure())
    private let request: URLRequest

    init(_ request: URLRequest) {
        self.request = request
        super.init()
    }

    override var originalRequest: URLRequest? { request }
    override var currentRequest: URLRequest? { request }
    override var state: URLSessionTask.State { state(whileLoading: .running) }
    override var error: (any Error)? { errorOfLoader }
}

private final class SimulatedUploadTask: URLSessionUploadTask, SimulatedTask, @unchecked Sendable {
    let failure = Lock(TaskFailure())
    private let request: URLRequest
    private let byteCount: Int64

    init(_ request: URLRequest, byteCount: Int64) {
        self.request = request
        self.byteCount = byteCount
        super.init()
    }

    override var originalRequest: URLRequest? { request }
    override var currentRequest: URLRequest? { request }
    override var state: URLSessionTask.State { state(whileLoading: .running) }
    override var error: (any Error)? { errorOfLoader }
    /// "From the length of the NSData object provided as the upload body", or of the file, or of `Content-Length`, and
    /// -1 for a stream (Apple's documentation of the property).
    override var countOfBytesExpectedToSend: Int64 { byteCount }
}
