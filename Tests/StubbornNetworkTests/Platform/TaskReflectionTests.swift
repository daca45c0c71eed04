#if canImport(FoundationNetworking)
    import Dispatch
    import Foundation
    import Testing

    @testable import StubbornNetwork

    /// The parts of Foundation's tasks that are read by reflection, as Foundation has them and made by hand.
    struct TaskReflectionTests {
        private final class Registry<Behaviours> {
            let behaviours: Behaviours
            init(_ behaviours: Behaviours) { self.behaviours = behaviours }
        }

        private struct Session<Behaviours> {
            let taskRegistry: Registry<Behaviours>?
        }

        private enum Behaviour {
            case callDelegate
            case dataCompletionHandler(Int)
            case askDelegate
        }

        private class Task {
            let workQueue: DispatchQueue? = DispatchQueue(label: "work")
            let knownBody: Int? = nil
        }

        private final class SessionTask<Content>: Task {
            private let session: Content
            init(_ session: Content) { self.session = session }
        }

        private static func task(_ behaviours: [Int: Behaviour]) -> Any {
            SessionTask(Optional(Session(taskRegistry: Registry(behaviours))))
        }

        @Test func `this version of Foundation has all parts`() throws {
            let session = URLSession(configuration: .ephemeral)
            defer { session.invalidateAndCancel() }
            let url = try #require(URL(string: "https://api.test/"))
            #expect(TaskReflection.missingPart(of: session.dataTask(with: url)) == nil)
            #expect(TaskReflection.missingPart(of: session.dataTask(with: url) { _, _, _ in }) == nil)
            #expect(TaskReflection.missingPart(of: session.downloadTask(with: url) { _, _, _ in }) == nil)
        }

        @Test func `the name of a part that a version lacks is found`() {
            final class WithoutQueue { let knownBody: Int? = nil }
            final class WithoutBody { let workQueue = DispatchQueue(label: "work") }
            let tasks: [(Any, String?)] = [
                (Self.task([:]), nil), (Self.task([1: .callDelegate, 2: .dataCompletionHandler(1)]), nil),
                (WithoutQueue(), "workQueue"), (WithoutBody(), "knownBody"), (Task(), "session"),
                (SessionTask(Session<Int>?.none), "session"), (SessionTask("a session"), "session.taskRegistry"),
                (SessionTask(Session<Int>(taskRegistry: nil)), "session.taskRegistry"),
                (Self.task([1: .askDelegate]), "session.taskRegistry.behaviours"),
                (
                    SessionTask(Session(taskRegistry: Registry(["1": Behaviour.callDelegate]))),
                    "session.taskRegistry.behaviours"
                ),
            ]
            for (task, part) in tasks { #expect(TaskReflection.missingPart(of: task) == part) }
        }
    }
#endif
