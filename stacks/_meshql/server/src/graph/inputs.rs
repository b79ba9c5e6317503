//! Queries that were chosen, or that once broke something. What a random test finds is added here.

pub const TAKEN: &[(&str, &[u8])] = &[
    ("at-in-the-far-past", b"{ getAll(at: -9.9e300) { id } }"),
    (
        "block-string-with-quotes",
        br#"{ getById(id: """a " \""" {{{{ """) { name } }"#,
    ),
    ("byte-order-mark", b"\xef\xbb\xbf{ getAll { id } }"),
    ("commas-are-space", b",,{,getAll,{,id,,name,},},"),
    (
        "comment-ends-at-a-carriage-return",
        b"{ getAll { id } } # [[[[ \"\r# and \"\"\" again",
    ),
    ("id-as-a-number", b"{ getById(id: 12345) { name } }"),
    (
        "null-arguments",
        b"{ getById(id: null, at: null) { name } getByZone(zone: null) { id } }",
    ),
    (
        "one-key-twice",
        b"{ getAll { id } getAll { name } ...f } fragment f on Query { getAll { zone } }",
    ),
    (
        "quotes-in-a-string",
        br#"{ getById(id: "a\"b\\") { name } }"#,
    ),
    (
        "typename-everywhere",
        b"{ __typename getAll { __typename } __schema { __typename } }",
    ),
];

pub const REFUSED: &[(&str, &[u8])] = &[
    ("block-string-without-end", br#"{ getById(id: """a\""") { name } }"#),
    ("brackets-behind-a-comment", b"# \r{a{a{a{a{a{a{a{a{a{a{a{a{a{a{a{a{a{a{a{a{a{a{a{a{a{a{a{a{a{a{a{a{a{a{a{a{a{a{a{a{a{a{a{a{a{a{a{a{a{a{a{a{a{a{a{a{a{a{a{a{a{a{a{a{a"),
    ("brackets-in-a-value", b"{ getById(id: [[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]) { id } }"),
    ("doubling-fragments", b"{ getAll { ...f0 } } fragment f0 on Farm { ...f1 ...f1 } fragment f1 on Farm { ...f2 ...f2 } fragment f2 on Farm { ...f3 ...f3 } fragment f3 on Farm { ...f4 ...f4 } fragment f4 on Farm { ...f5 ...f5 } fragment f5 on Farm { ...f6 ...f6 } fragment f6 on Farm { ...f7 ...f7 } fragment f7 on Farm { ...f8 ...f8 } fragment f8 on Farm { ...f9 ...f9 } fragment f9 on Farm { ...f10 ...f10 } fragment f10 on Farm { ...f11 ...f11 } fragment f11 on Farm { ...f12 ...f12 } fragment f12 on Farm { ...f13 ...f13 } fragment f13 on Farm { ...f14 ...f14 } fragment f14 on Farm { ...f15 ...f15 } fragment f15 on Farm { ...f16 ...f16 } fragment f16 on Farm { ...f17 ...f17 } fragment f17 on Farm { ...f18 ...f18 } fragment f18 on Farm { ...f19 ...f19 } fragment f19 on Farm { ...f20 ...f20 } fragment f20 on Farm { ...f21 ...f21 } fragment f21 on Farm { ...f22 ...f22 } fragment f22 on Farm { ...f23 ...f23 } fragment f23 on Farm { ...f24 ...f24 } fragment f24 on Farm { ...f25 ...f25 } fragment f25 on Farm { ...f26 ...f26 } fragment f26 on Farm { ...f27 ...f27 } fragment f27 on Farm { ...f28 ...f28 } fragment f28 on Farm { ...f29 ...f29 } fragment f29 on Farm { ...f30 ...f30 } fragment f30 on Farm { ...f31 ...f31 } fragment f31 on Farm { ...f32 ...f32 } fragment f32 on Farm { ...f33 ...f33 } fragment f33 on Farm { ...f34 ...f34 } fragment f34 on Farm { ...f35 ...f35 } fragment f35 on Farm { ...f36 ...f36 } fragment f36 on Farm { ...f37 ...f37 } fragment f37 on Farm { ...f38 ...f38 } fragment f38 on Farm { ...f39 ...f39 } fragment f39 on Farm { ...f40 ...f40 } fragment f40 on Farm { id }"),
    ("empty", b""),
    ("fragment-in-itself", b"{ ...a } fragment a on Query { getAll { id } ...b } fragment b on Query { ...a }"),
    ("half-a-surrogate", br#"{ getById(id: "\ud800") { name } }"#),
    ("id-beyond-64-bits", b"{ getById(id: 12345678901234567890) { name } }"),
    ("levels", b"{ getAll { coops { coops { coops { coops { coops { coops { coops { coops { coops { coops { coops { coops { coops { coops { coops { coops { coops { coops { coops { coops { coops { coops { coops { coops { id } } } } } } } } } } } } } } } } } } } } } } } } } }"),
    ("line-separator", b"{ getAll\xe2\x80\xa8{ id } }"),
    ("mutation", b"mutation { getAll { id } }"),
    ("null-byte", b"{ getAll { id\0 } }"),
    ("string-without-end", br#"{ getById(id: "a\") { name } }"#),
    ("two-operations-without-a-name", b"query A { getAll { id } } query B { getAll { id } }"),
    ("unknown-variable", b"{ getById(id: $id) { name } }"),
];
