import Foundation

typealias CFTypeRef = AnyObject

/// A run loop as Core Foundation has it: blocks wait until it is woken.
///
/// CFRunLoopPerformBlock: "this function enqueues the block but does not automatically wake up the specified run loop".
final class CFRunLoop {
    fileprivate let runLoop = RunLoop.current
    fileprivate let waiting = Lock<[(modes: [RunLoop.Mode], block: UncheckedTransfer<() -> Void>)]>([])
}

func CFRunLoopGetCurrent() -> CFRunLoop? { CFRunLoop() }

/// Adds a block, which runs once in any of the modes: a name, or an array of names.
func CFRunLoopPerformBlock(_ runLoop: CFRunLoop, _ mode: CFTypeRef, _ block: @escaping () -> Void) {
    let names = mode as? [String] ?? [mode as? String].compactMap { $0 }
    let block = UncheckedTransfer(block)
    runLoop.waiting.withLock { $0.append((names.map { RunLoop.Mode(rawValue: $0) }, block)) }
}

func CFRunLoopWakeUp(_ runLoop: CFRunLoop) {
    let waiting = runLoop.waiting.withLock { waiting in
        defer { waiting = [] }
        return waiting
    }
    for (modes, block) in waiting { runLoop.runLoop.perform(inModes: modes) { block.value() } }
    // Wakes the run loop, which its thread runs again.
    runLoop.runLoop._stop()
}
