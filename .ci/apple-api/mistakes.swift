// Mistakes on purpose: the compiler must report each line that ends in "error", and no other.
import Foundation
import Glibc  // error
import XCTest

#if canImport(Glibc) || canImport(Darwin)  // error
    let branch = 1
#endif

func useNewAPI() {
    _ = ContinuousClock()  // error on macOS, iOS, tvOS
    _ = URL(fileURLWithPath: "/").appending(path: "x")  // error on macOS, iOS, tvOS
    _ = Date.now  // error on macOS, iOS, tvOS
    if #available(macOS 13, iOS 16, tvOS 16, watchOS 9, *) { _ = ContinuousClock() }
}

func useNewTaskDelegate(_ task: URLSessionTask) {
    _ = task.delegate  // error on macOS, iOS, tvOS
    if #available(macOS 12, iOS 15, tvOS 15, watchOS 8, *) { _ = task.delegate }
}

func useWithoutWatch() {
    if #available(macOS 10.16, iOS 14, tvOS 14, *) {}  // error
}

final class ObjectWithOneSelectorTwice: NSObject {
    func load(_ url: URL, from _: [Int], completionHandler: @escaping @Sendable (Data?) -> Void) {
        completionHandler(nil)
    }
    func load(_ url: URL, from _: [Int]) async {}  // error
    func load(_ url: URL) async {}
}

func observe(_ observer: any XCTestObservation) {
    XCTestObservationCenter.shared.addTestObserver(observer)  // error
}

final class ObserverWithoutNSObject: XCTestObservation {  // error
    func testCase(_: XCTestCase, didFailWithDescription: String, inFile: String?, atLine: Int) {}
}

final class DelegateWithWrongType: NSObject, URLSessionDataDelegate {  // error
    func urlSession(
        _: URLSession,
        task: URLSessionTask,
        didSendBodyData: Int32,
        totalBytesSent: Int64,
        totalBytesExpectedToSend: Int64
    ) {}
}

final class GenericDelegate<Value>: NSObject {}
extension GenericDelegate: URLSessionDelegate {}  // error

func sendAcrossThreads(_ stream: InputStream) {
    DispatchQueue.global().async { stream.open() }  // error
}

func handle(_ policy: URLRequest.CachePolicy) -> Int {
    switch policy {  // error
    case .useProtocolCachePolicy, .reloadIgnoringLocalCacheData, .returnCacheDataElseLoad: 1
    }
}

func waitInAsynchronousCode(_ group: DispatchGroup, _ semaphore: DispatchSemaphore) async {
    _ = Thread.current  // error
    _ = Thread.isMainThread  // error
    Thread.sleep(forTimeInterval: 1)  // error
    group.wait()  // error
    semaphore.wait()  // error
}

func sendFilesAcrossThreads(_ files: FileManager) {
    DispatchQueue.global().async { _ = files.currentDirectoryPath }  // error
}

func describe(_ interval: DispatchTimeInterval) -> String {
    switch interval {  // error
    case .seconds, .milliseconds, .microseconds, .nanoseconds, .never: ""
    }
}

func listFiles(_ files: FileManager.DirectoryEnumerator) async {
    for _ in files {}  // error
    while files.nextObject() != nil {}
}

func call(_ delegate: any URLSessionDataDelegate, _ session: URLSession, _ task: URLSessionDataTask) {
    delegate.urlSession(session, dataTask: task, didReceive: Data())  // error
}

final class ObjectWithNamesOfNSObject: NSObject {
    var debugDescription: String { "" }  // error
    var className: String { "" }  // error on macOS
    func value(forKey key: String) -> Any? { nil }  // error
}

final class QueueWithNamesOfOperationQueue: OperationQueue, @unchecked Sendable {
    let name: String? = nil  // error
    var operations: [Int] { [] }  // error
}

final class StreamWithNamesOfStream: InputStream {
    var delegate: Int { 1 }  // error
}

final class ProtocolWithNamesOfURLProtocol: URLProtocol {
    let cachedResponse: Data? = nil  // error
}

final class TestWithNamesOfXCTestCase: XCTestCase {
    let continueAfterFailure = false  // error
    func run() {}  // error
    func measure(_ block: () -> Void) {}  // error
}

enum Shared {
    static let formatter = ISO8601DateFormatter()  // error
}

func nameUser() { _ = ProcessInfo.processInfo.userName }  // error on iOS, tvOS, visionOS

func spawn(_ pid: inout pid_t) { _ = posix_spawn(&pid, "", nil, nil, nil, nil) }  // error on tvOS
