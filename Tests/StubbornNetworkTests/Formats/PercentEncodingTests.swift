import Foundation
@_spi(Tools) import StubbornNetworkTooling
import Testing

@testable import StubbornNetwork

struct PercentEncodingTests {
    @Test(arguments: [
        ("eHl6IHh5eiB4eXog", true), ("eHl6IHh5eiB4eXo", false), ("eHl6IHh5eiB4eXogYQ==", true),
        ("eHl6IHh5eiB4eXog!", false),
        ("eHl6IHh5eiB4eXogYQ==x", false), ("eHl6IHh5eiB4eXr/", false), ("eHl6IHh5eiB4eX9/", false),
        ("AAAAAAAAAAAAAAAA", false),
        ("H4sIAAAAAAAAAAAA", false), ("YnBsaXN0MDAAAAAA", false), ("h4sIAAAAAAAAAAAA", false), ("", false),
    ])
    func `base64 of a text is told from base64 of other bytes`(value: String, isText: Bool) {
        #expect(value.withBytes { Base64.isText($0) } == isText)
    }

    @Test(arguments: [
        ("a%20b+c", false, "a b+c"), ("a%20b+c", true, "a b c"), ("%c3%A9%", false, "é%"), ("%zz%4", false, "%zz%4"),
    ])
    func `percent-encoded text is decoded`(text: String, plusAsSpace: Bool, decoded: String) {
        let bytes = text.withBytes { PercentEncoding.decoded($0, plusAsSpace: plusAsSpace) }
        #expect(String(decoding: bytes, as: UTF8.self) == decoded)
        if !plusAsSpace { #expect(PercentEncoding.decoded(text) == decoded) }
    }

    @Test func `text is percent-encoded except for the characters to keep`() {
        let encoded = { (kept: String, plus: Bool) in
            let bytes = PercentEncoding.encoded("ö /~+".utf8, keeping: kept.utf8, spaceAsPlus: plus)
            return String(decoding: bytes, as: UTF8.self)
        }
        #expect(encoded("", false) == "%C3%B6%20%2F~%2B")
        #expect(encoded("/", true) == "%C3%B6+/~%2B")
    }

    @Test(arguments: [
        ("%7euser/%c3%a4 ä", PercentEncoding.Part.path, "~user/%C3%A4%20%C3%A4"),
        ("a?b=[1]%", .path, "a%3Fb=%5B1%5D%25"),
        ("a?b=%26&c+", .query, "a?b=%26&c+"), ("a+b%2B&=", .form, "a%20b%2B%26%3D"), ("", .path, ""),
    ])
    func `percent-encoding is normalized to one spelling`(text: String, part: PercentEncoding.Part, spelling: String) {
        #expect(PercentEncoding.normalized(text, as: part) == spelling)
        #expect(PercentEncoding.normalized(spelling, as: part) == spelling)
    }

    @Test(arguments: [
        ("http://h/q?filter[name]=a%20b", "http://h/q?filter%5Bname%5D=a%20b"),
        ("http://h/a|b/%2F?a={1}&b=%2F", "http://h/a%7Cb/%2F?a=%7B1%7D&b=%2F"),
        (#"http://h/"%e4"?\^`<>"#, "http://h/%22%e4%22?%5C%5E%60%3C%3E"),
        ("http://h/100%?a=%zz&b=%20", "http://h/100%25?a=%25zz&b=%20"),
        ("http://h/ä b?c#d#%20", "http://h/%C3%A4%20b?c#d%23%20"),
        ("http://[::1]:80/[%20", "http://[::1]:80/%5B%20"), ("http://h?[%20", "http://h?%5B%20"),
        ("/a[%20?next=http://x/[%20", "/a%5B%20?next=http://x/%5B%20"),
        ("https://u:p@h/~a-._b!$&'()*+,;=:@/%2f?%3F/?#%23/?", "https://u:p@h/~a-._b!$&'()*+,;=:@/%2f?%3F/?#%23/?"),
    ])
    func `a URL of another program gets only its invalid characters encoded`(text: String, url: String) {
        #expect(URL(encodingOnlyInvalid: text)?.absoluteString == url)
    }

    @Test func `base64 is decoded in both alphabets, padded or not`() {
        for text in ["+/+/AA==", "-_-_AA==", "-_-_AA", "+/+/AA"] {
            #expect(text.withBytes { Base64.decoded($0) } == [0xFB, 0xFF, 0xBF, 0x00])
        }
        for text in ["A", "AAAAA", "A*AA"] {
            #expect(text.withBytes { Base64.decoded($0) } == nil, "\(text)")
        }
    }

    @Test(arguments: [
        ("see UkVEQUNURUQ.", "see eHl6eg."), ("see UkVEQUNURUQ=.", "see eHl6eg==."),
        ("see eFJFREFDVEVE.", "see eHl6eg==."), ("see 5245444143544544.", "see 78797a7a."),
        ("see f5245444143544544.", "see f78797a7a."),
    ])
    func `what is encoded is replaced with its padding, and is padded if it was`(text: String, expected: String) {
        text.withBytes { bytes in
            let edits = Placeholder.encoded(in: bytes).map { $0.edit(Array("xyzz".utf8)) }
            #expect(Edit.apply(edits, to: bytes).map { String(decoding: $0, as: UTF8.self) } == expected)
        }
    }

    @Test func `base64 is encoded`() {
        let encoded = { (bytes: [UInt8], urlSafe: Bool, padded: Bool) in
            String(decoding: Base64.encoded(bytes, urlSafe: urlSafe, padded: padded), as: UTF8.self)
        }
        #expect(encoded([0xFB, 0xFF, 0xBF, 0x00], false, true) == "+/+/AA==")
        #expect(encoded([0xFB, 0xFF, 0xBF, 0x00], true, false) == "-_-_AA")
        #expect(encoded([], false, true) == "")
        #expect(encoded(Array(repeating: 0x00, count: 300), true, true) == String(repeating: "A", count: 400))
    }
}
