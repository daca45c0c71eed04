import Foundation
import Testing

@testable import StubbornNetwork

struct JSONTextTests {
    private func compact(_ text: String) -> String? {
        JSONText.compact(body: Data(text.utf8)).map { String(decoding: $0, as: UTF8.self) }
    }

    @Test func `white space goes, order and spelling stay`() {
        #expect(
            compact(" { \"b\" : 1.0 , \"a\" : [ true , null , \"\\u0041 b\" ] } ")
                == #"{"b":1.0,"a":[true,null,"\u0041 b"]}"#
        )
        #expect(compact("[ ]") == "[]")
        #expect(compact("[1,]") == nil)
    }

    @Test(arguments: [(511, true), (512, true), (513, false)])
    func `a body has 512 levels at most`(count: Int, isRead: Bool) {
        let text = String(repeating: "[", count: count) + String(repeating: "]", count: count)
        #expect(compact(text) == (isRead ? text : nil))
    }

    @Test func `two spaces stand for each level, and empty containers are on one line`() {
        var writer = JSONWriter(.indented(level: 1))
        writer.json(Data(#"{"a":[1,{"b":{}}],"c":[]}"#.utf8))
        #expect(
            String(decoding: writer.output, as: UTF8.self) == """
                {
                    "a" : [
                      1,
                      {
                        "b" : {}
                      }
                    ],
                    "c" : []
                  }
                """
        )
    }
}
