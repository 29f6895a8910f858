use super::*;

fn schema(text: &str) -> Schema {
    let text = format!(r#"[{{"name": "t", "inputSchema": {text}}}]"#);
    Reply::parse(&text).unwrap().tools.remove(0).input
}

/// What a path such as `a.b.0` leads to, in a few words.
fn at(schema: &Schema, path: &str) -> String {
    let hops = path.split('.').map(|step| match step {
        "0" => Hop::Index,
        "*" => Hop::Each,
        "**" => Hop::Anywhere,
        name => Hop::Field(name),
    });
    match schema.at(hops) {
        Place::Known { schema, optional } => {
            let values = schema.values.as_ref().map(|values| format!(" of {}", Value::from(values.clone())));
            let optional = optional.map(|step| format!(", {step} optional")).unwrap_or_default();
            format!("{}{}{optional}", schema.kinds.described(), values.unwrap_or_default())
        }
        Place::Unlisted { step, forbidden, .. } => {
            format!("{step} {}", if forbidden { "forbidden" } else { "unlisted" })
        }
        Place::NoParts { step, of } => format!("{step}: {} has no parts", of.kinds.described()),
        Place::Unknown => "?".to_owned(),
    }
}

#[test]
fn a_reply_may_be_saved_whole_or_in_part() {
    for (text, is_part) in [
        (r#"[{"name": "a"}, {"name": "b"}]"#, false),
        (r#"{"tools": [{"name": "a"}, {"name": "b"}], "nextCursor": "x"}"#, true),
        (r#"{"tools": [{"name": "a"}, {"name": "b"}], "nextCursor": null, "server": "s", "odd": [1]}"#, false),
        (
            r#"{"jsonrpc": "2.0", "id": 1, "result": {"tools": [{"name": "a"}, {"name": "b"}], "nextCursor": "x"}}"#,
            true,
        ),
        (r#"[{"tools": [{"name": "a"}], "nextCursor": "x"}, {"result": {"tools": [{"name": "b"}]}}]"#, false),
        (
            r#"[{"type": "function", "function": {"name": "a", "parameters": {}}}, {"name": "b", "input_schema": {}}]"#,
            false,
        ),
        ("\u{feff}[{\"name\": \"a\"}, {\"name\": \"b\"}]", false),
    ] {
        let reply = Reply::parse(text).unwrap();
        assert_eq!(reply.tools.iter().map(|tool| tool.name.as_str()).collect::<Vec<_>>(), ["a", "b"], "{text}");
        assert_eq!(reply.is_part, is_part, "{text}");
    }
    for text in
        ["", "{", "{}", r#"{"tools": {}}"#, r#"{"tools": [{}]}"#, r#"[{"name": 1}]"#, "3", r#"[{"tools": []}, 3]"#]
    {
        assert!(Reply::parse(text).is_err(), "{text}");
    }
}

#[test]
fn what_a_schema_says_is_found_by_path() {
    let schema = schema(
        r##"{
          "type": "object", "required": ["path", "order"],
          "properties": {
            "path": {"type": "string"},
            "mode": {"enum": ["r", "w"]},
            "count": {"type": ["integer", "null"]},
            "order": {"$ref": "#/$defs/order"},
            "tree": {"$ref": "#/$defs/tree"},
            "maybe": {"anyOf": [{"type": "string"}, {"type": "null"}]},
            "open": {"type": "object", "additionalProperties": {"type": "string"}},
            "lines": {"type": "array", "items": {"type": "object", "properties": {"n": {"type": "number"}}, "required": ["n"]}}
          },
          "$defs": {
            "order": {"type": "object", "properties": {"id": {"const": 7}}, "required": ["id"], "additionalProperties": false},
            "tree": {"type": "object", "properties": {"left": {"$ref": "#/$defs/tree"}}}
          }
        }"##,
    );
    for (path, expected) in [
        ("path", "a string"),
        ("path.x", "1: a string has no parts"),
        ("mode", "a string of [\"r\",\"w\"], 0 optional"),
        ("count", "a number or null, 0 optional"),
        ("order.id", "a whole number of [7]"),
        ("order.no", "1 forbidden"),
        ("nothing", "0 unlisted"),
        ("tree.left", "any value, 0 optional"),
        ("maybe", "a string or null, 0 optional"),
        ("open.anything", "?"),
        ("lines.*.n", "a number, 0 optional"),
        ("lines.0.m", "2 unlisted"),
        ("lines.m", "1: a list has no parts"),
        ("path.0", "1: a string has no parts"),
        ("order.**", "?"),
    ] {
        assert_eq!(at(&schema, path), expected, "{path}");
    }
}

#[test]
fn alternatives_allow_what_one_of_them_allows() {
    for (text, path, expected) in [
        // One of several arguments is required; both are listed beside it.
        (
            r#"{"type":"object","properties":{"a":{"type":"string"},"b":{"type":"string"}},"anyOf":[{"required":["a"]},{"required":["b"]}]}"#,
            "a",
            "a string, 0 optional",
        ),
        (r#"{"type":"object","properties":{"a":{"type":"string"}},"allOf":[{"required":["a"]}]}"#, "a", "a string"),
        (
            r#"{"oneOf":[{"type":"object","properties":{"a":{"type":"string"}},"required":["a"],"additionalProperties":false},{"type":"object","properties":{"a":{"type":"boolean"}},"required":["a"],"additionalProperties":false}]}"#,
            "a",
            "a string or true or false",
        ),
        (
            r#"{"oneOf":[{"type":"object","properties":{"a":{}},"additionalProperties":false},{"type":"object","properties":{"b":{"type":"string"}},"additionalProperties":false}]}"#,
            "b",
            "a string, 0 optional",
        ),
        (
            r#"{"oneOf":[{"type":"object","properties":{"a":{}},"additionalProperties":false},{"type":"object","properties":{"b":{"type":"string"}}}]}"#,
            "a",
            "any value, 0 optional",
        ),
        (
            r#"{"oneOf":[{"type":"object","properties":{"a":{}},"additionalProperties":false},{"type":"object","properties":{"b":{"type":"string"}}}]}"#,
            "c",
            "0 unlisted",
        ),
        (
            r#"{"anyOf":[{"type":"null"},{"type":"object","properties":{"a":{"type":"string"}},"required":["a"]}]}"#,
            "a",
            "a string, 0 optional",
        ),
        (r#"{"allOf":[{"properties":{"a":{}}},{"additionalProperties":false}]}"#, "a", "0 forbidden"),
        (
            r#"{"properties":{"a":{"allOf":[{"enum":["x","y"]},{"enum":["y","z"]}]}}}"#,
            "a",
            "a string of [\"y\"], 0 optional",
        ),
        (
            r##"{"properties":{"a":{"$ref":"https://example.com/x"}, "b":{"$ref":"#/$defs/none"}, "c":{"$ref":"#"}}}"##,
            "a",
            "any value, 0 optional",
        ),
        (r##"{"properties":{"c":{"$ref":"#"}}}"##, "c.c.x", "?"),
        // Until draft-07, what stands beside a reference counts for nothing.
        (
            r##"{"$schema":"http://json-schema.org/draft-07/schema#","properties":{"a":{"$ref":"#/definitions/s","type":"boolean"}},"definitions":{"s":{"type":"string"}}}"##,
            "a",
            "a string, 0 optional",
        ),
        (
            r##"{"properties":{"a":{"$ref":"#/$defs/s","enum":["x"]}},"$defs":{"s":{"type":"string"}}}"##,
            "a",
            "a string of [\"x\"], 0 optional",
        ),
        (
            r#"{"properties":{"a":{"type":"string","nullable":true}, "b":{"type":"money"}}}"#,
            "a",
            "a string or null, 0 optional",
        ),
        (r#"{"properties":{"b":{"type":"money"}}}"#, "b", "any value, 0 optional"),
        (r#"{"properties":{"a":{}},"patternProperties":{"^x-":{}},"additionalProperties":false}"#, "x-a", "?"),
        (r#"{"type":"object","properties":{}}"#, "a", "?"),
        (r#"{"type":"object","properties":{"a":false}}"#, "a", "nothing, 0 optional"),
    ] {
        assert_eq!(at(&schema(text), path), expected, "{text}");
    }
}

#[test]
fn hostile_schemas_are_read_soon() {
    // References that fan out: each level has ten of the next.
    let level = |n: usize| {
        let properties: Vec<_> = (0..10).map(|p| format!(r##""p{p}":{{"$ref":"#/$defs/l{}"}}"##, n + 1)).collect();
        format!(r#""l{n}":{{"properties":{{{}}}}}"#, properties.join(","))
    };
    let levels: Vec<_> = (0..30).map(level).collect();
    let text = format!(r##"[{{"name":"t","inputSchema":{{"$ref":"#/$defs/l0","$defs":{{{}}}}}}}]"##, levels.join(","));
    let reply = Reply::parse(&text).unwrap();
    assert!(reply.is_cut);
    // Many alternatives.
    let parts = vec![r#"{"properties":{"a":{}}}"#; 10_000].join(",");
    assert_eq!(at(&schema(&format!(r#"{{"anyOf":[{parts}]}}"#)), "a"), "?");
    // Deep nesting.
    let deep = format!("{}{}", r#"{"items":"#.repeat(60), "{}".to_owned() + &"}".repeat(60));
    assert_eq!(at(&schema(&format!(r#"{{"properties":{{"a":{deep}}}}}"#)), "a.0"), "?");
}
