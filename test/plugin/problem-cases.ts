/** Invalid .proto sources, one for each kind of problem that the generator reports. */

import { GET, method, type ProblemCase, request, response } from "./case-sources.ts";
import { IDLE_CASES } from "./idle-cases.ts";
import { RULE_CASES } from "./rule-cases.ts";

export type { ProblemCase } from "./case-sources.ts";

/** A valid batch rule. */
const BATCH = 'batch: {items: "items", resume_token: "token", late: "late"}';

/**
 * In the expected problems, `case.proto` stands for the file name and `case.` for the package. Line numbers
 * are relative to the first line of `source`.
 */
export const PROBLEM_CASES: readonly ProblemCase[] = [
  {
    name: "http_pattern_missing",
    source: method('body: "*"'),
    problems: ['3:12: http-pattern-missing: the HTTP rule of case.S.Get has no verb; add e.g. `get: "/…"`'],
  },
  {
    name: "http_verb",
    source: method('custom: {kind: "get it", path: "/a"}'),
    problems: ["3:42: http-verb: `get it` is not an HTTP method; write it in capitals, e.g. HEAD"],
  },
  {
    name: "idempotent_level",
    source: method(
      'get: "/a"',
      "option (connectrest.v1.method).idempotent = false; option idempotency_level = NO_SIDE_EFFECTS;",
    ),
    problems: [
      "4:5: idempotent-conflict: idempotent of case.S.Get is false, but its idempotency_level is NO_SIDE_EFFECTS; remove one of them",
    ],
  },
  {
    name: "rate_limit_when_values",
    source: method(
      'get: "/a"',
      'option (connectrest.v1.method) = {rate_limits: [{requests: 1, window: {seconds: 1}, when: {key: "kind", values: "OPNE"}}, {requests: 1, window: {seconds: 1}, when: {key: "flag", values: "yes"}}, {requests: 1, window: {seconds: 1}, when: {key: "count", values: "many"}}, {requests: 1, window: {seconds: 1}, when: {key: "inner", values: "x"}}]};',
      "Kind kind = 1; bool flag = 2; int32 count = 3; Inner inner = 4; message Inner { int32 x = 1; } enum Kind { CLOSED = 0; OPEN = 1; }",
    ),
    problems: [
      "4:39: when-request: the condition of a rate limit of case.S.Get compares `inner`, which is not a scalar or an enum, with a value; use present",
      "4:39: when-request: the condition of a rate limit of case.S.Get never holds: expected `true` or `false`, got `yes`",
      "4:39: when-request: the condition of a rate limit of case.S.Get never holds: expected a number, got `many`",
      "4:39: when-request: the condition of a rate limit of case.S.Get never holds: the enum case.Req.Kind has no value `OPNE`; did you mean `OPEN`?",
    ],
  },
  {
    name: "rate_limit_when_service",
    source: `service S {
  option (connectrest.v1.service).rate_limits = {requests: 1, window: {seconds: 1}, when: {key: "name", present: true}};
  ${GET}
}
message Req { string name = 1; }
message Res {}`,
    problems: [
      "2:3: when-request: a rate limit of case.S has a condition on requests, which only limits of methods can have; move it to the methods, with one bucket",
    ],
  },
  {
    name: "path_syntax",
    source: method('get: "/a/{name"'),
    problems: [
      "3:33: path-syntax: the path `/a/{name` is invalid at character 9: a variable must end with `}`",
    ],
  },
  {
    name: "path_syntax_relative",
    source: method('get: "a"'),
    problems: ["3:33: path-syntax: the path `a` is invalid at character 1: a path must start with `/`"],
  },
  {
    name: "path_syntax_dots",
    source: method('get: "/a/%2E."'),
    problems: [
      "3:33: path-syntax: the path `/a/%2E.` is invalid at character 8: `%2E.` cannot be a segment: it leads elsewhere",
    ],
  },
  {
    name: "path_syntax_literal",
    source: method('get: "/a/\u00e9"'),
    problems: ["3:33: path-syntax: the path `/a/é` is invalid at character 4: expected a segment"],
  },
  {
    name: "path_wildcard",
    source: method('get: "/a/*"'),
    problems: [
      "3:33: path-wildcard: a wildcard outside of a variable has no value to send; name a field: `{field=*}`",
    ],
  },
  {
    name: "path_field",
    source: method('get: "/{nmae}"'),
    problems: [
      "3:33: path-field: the path variable `nmae`: message case.Req has no field `nmae`; did you mean `name`?",
    ],
  },
  {
    name: "path_field_deep",
    source: method('get: "/{name.x}"'),
    problems: [
      "3:33: path-field: the path variable `name.x`: `name` is not a message, so it has no field `x`",
    ],
  },
  {
    name: "path_field_twice",
    source: method('get: "/{name}/{name}"'),
    problems: [
      "3:33: path-field-twice: the path variable `name` occurs twice; a field can be in the path only once",
    ],
  },
  {
    name: "path_field_json_text",
    source: method('get: "/{name}"', "", "string name = 1 [(connectrest.v1.field).json_text = true];"),
    problems: [
      "3:33: path-field-type: the path variable `name` must be a single string, number, bool or enum, without json_text",
    ],
  },
  {
    name: "path_field_type",
    source: method('get: "/{name}"', "", "repeated string name = 1;"),
    problems: [
      "3:33: path-field-type: the path variable `name` must be a single string, number, bool or enum",
    ],
  },
  ...[
    ["time", "google.protobuf.Timestamp", "; declare a time as a string, or as an integer of seconds"],
    ["duration", "google.protobuf.Duration", "; declare a duration as a string, or as an integer"],
    ["wrapper", "google.protobuf.StringValue", "; declare an `optional` field in place of the wrapper"],
    ["message", "Part", "; name a field of case.Part: `{name.field}`"],
  ].map(([name, type, remedy]) => ({
    name: `path_field_${name}`,
    source: `${method('get: "/{name}"', "", `${type} name = 1;`)}\nmessage Part {}`,
    problems: [
      `3:33: path-field-type: the path variable \`name\` must be a single string, number, bool or enum${remedy}`,
    ],
  })),
  {
    name: "body_verb",
    source: method('get: "/a" body: "*"'),
    problems: [
      "3:43: body-verb: a GET request must not have a body (RFC 9110 section 9.3.1); remove `body` or use post",
    ],
  },
  {
    name: "body_field",
    source: method('post: "/a" body: "nam"'),
    problems: ["3:44: body-field: the body: message case.Req has no field `nam`; did you mean `name`?"],
  },
  {
    name: "body_field_in_path",
    source: method('post: "/{name}" body: "name"'),
    problems: ["3:49: body-field-in-path: the field `name` cannot be both a path variable and the body"],
  },
  {
    name: "response_body_field",
    source: method('get: "/a" response_body: "x"'),
    problems: ["3:43: response-body-field: response_body: message case.Res has no field `x`; it is empty"],
  },
  {
    name: "encoding_without_body",
    source: method('post: "/a"', "option (connectrest.v1.method).request_encoding = FORM;"),
    problems: [
      '4:5: encoding-without-body: request_encoding is set, but the HTTP rule has no body; add `body: "*"`',
    ],
  },
  {
    name: "encoding_of_field",
    source: method('post: "/a" body: "name"', "option (connectrest.v1.method).request_encoding = FORM;"),
    problems: [
      '4:5: encoding-of-field: a body that is a single field is encoded as JSON; use `body: "*"` for a form or multipart body',
    ],
  },
  {
    name: "body_content_type",
    source: method(
      'post: "/a" body: "name"',
      'option (connectrest.v1.method).headers = {name: "content-type", value: "text/plain"};',
      'string name = 1; string type = 2 [(connectrest.v1.field) = {in: HEADER, name: "Content-Type"}];',
    ),
    problems: [
      "4:5: body-content-type: case.S.Get has the Content-Type `text/plain`, but the body, case.Req.name, is sent as JSON text; declare it as google.api.HttpBody, which has a Content-Type of its own, or remove the header",
      "7:75: body-content-type: case.Req.type is sent as the Content-Type, but the body, case.Req.name, is sent as JSON text; declare it as google.api.HttpBody, which has a Content-Type of its own, or remove the header",
      "7:87: name-twice: case.Req.type and a constant header are both named `content-type` in the headers of case.S.Get; give one of them another name",
    ],
  },
  {
    name: "http_body_content_type",
    source: `import "google/api/httpbody.proto";
${method(
  'post: "/a" body: "file"',
  "",
  'google.api.HttpBody file = 1; string type = 2 [(connectrest.v1.field) = {in: HEADER, name: "Content-Type"}];',
)}`,
    problems: [
      "8:100: name-twice: case.Req.type and the content_type of the body are both named `content-type` in the headers of case.S.Get; remove the field, and set content_type",
    ],
  },
  {
    name: "known_read",
    source: `service S {
  rpc List(Req) returns (stream Res) {
    option (google.api.http) = {get: "/a"};
    option (connectrest.v1.method).paginate = {items: "items", link: "links.next", known: ["count", "links"]};
  }
}
message Req {}
message Res {}`,
    problems: [
      "4:84: known-read: paginate of case.S.List: the known key `links` covers `links.next`, which is read by `link`, so that a new name of `links.next` would not be reported; list the other keys below `links`",
    ],
  },
  {
    name: "when_never_enum",
    source: response(
      'Kind kind = 1; oneof o { option (connectrest.v1.oneof).discriminator = "kind"; Inner a = 2 [(connectrest.v1.field).when = {values: "OPEN"}]; Inner open = 3; Inner shut = 4; }',
      'message Inner {} enum Kind { NONE = 0; OPEN = 1 [(connectrest.v1.enum_value).wire = "open"]; }',
    ),
    problems: [
      "4:95: when-never: the condition of case.Res.a never holds for `OPEN`: no value of case.Kind is `OPEN` on the wire (OPEN is `open` on the wire)",
      "4:160: when-never: the discriminator never selects case.Res.shut by its name: no value of case.Kind is `shut` on the wire; it has `NONE`, `open`; set when: {values: …}",
    ],
  },
  {
    name: "encoding_lines",
    source: method('post: "/a" body: "name"', "option (connectrest.v1.method).request_encoding = LINES;"),
    problems: [
      "4:5: encoding-lines: request_encoding: LINES needs a repeated field as the body; set `body` to its name",
    ],
  },
  {
    name: "binding_unreachable",
    source: method('get: "/{name}" additional_bindings: {get: "/b/{name}"}'),
    problems: [
      "3:48: binding-unreachable: binding 2 of case.S.Get is unreachable: every request that fills its path also fills that of binding 1, which is tried first",
    ],
  },
  {
    name: "binding_unreachable_deep",
    source: method(
      'get: "/{name=a/**}" additional_bindings: {get: "/b/{name=a/*}"} additional_bindings: {get: "/c/{name=b/**}"}',
    ),
    problems: [
      "3:53: binding-unreachable: binding 2 of case.S.Get is unreachable: every request that fills its path also fills that of binding 1, which is tried first",
    ],
  },
  {
    name: "binding_unreachable_slash",
    source: `service S {
  rpc Get(Req) returns (Req) {
    option (google.api.http) = {get: "/{name}" additional_bindings: {get: "/b/{name=a/*}"}};
  }
  rpc GetPlain(Req) returns (Req) {
    option (connectrest.v1.method).http.slash = REFUSE;
    option (google.api.http) = {get: "/{name}" additional_bindings: {get: "/b/{name=a/*}"}};
  }
}
message Req { string name = 1; }`,
    problems: [
      "3:48: binding-unreachable: binding 2 of case.S.Get is unreachable: every request that fills its path also fills that of binding 1, which is tried first",
    ],
  },
  {
    name: "response_body_of_stream",
    source: `service S {
  rpc Get(Req) returns (stream Res) {
    option (google.api.http) = {get: "/a" response_body: "x"};
    option (connectrest.v1.method).paginate = {items: "items", link: "next"};
  }
}
message Req {}
message Res { string x = 1; }`,
    problems: [
      "3:43: no-effect: response_body of case.S.Get has no effect: `items` of `paginate` says what the messages of the stream are read from; remove it",
    ],
  },
  {
    name: "response_body_differs",
    source: `service S {
  rpc Get(Req) returns (Res) {
    option (google.api.http) = {get: "/{name}" response_body: "a" additional_bindings: {get: "/all" response_body: "b"}};
  }
  rpc GetAll(Req) returns (Res) {
    option (google.api.http) = {get: "/{name}" additional_bindings: {get: "/all" response_body: "b"}};
  }
  rpc GetAlike(Req) returns (Res) {
    option (google.api.http) = {get: "/{name}" response_body: "b" additional_bindings: {get: "/all" response_body: "b"}};
  }
}
message Req { string name = 1; }
message Res { string a = 1; string b = 2; }`,
    problems: [
      "3:67: response-body-differs: binding 2 of case.S.Get has the response_body `b`, but the first binding has `a`; all bindings of a method share one response decoder",
      "6:48: response-body-differs: binding 2 of case.S.GetAll has the response_body `b`, but the first binding has none; all bindings of a method share one response decoder",
    ],
  },
  {
    name: "response_bytes",
    source: `service S {
  rpc Get(Req) returns (Res) {
    option (connectrest.v1.method).response_encoding = BYTES;
    option (google.api.http) = {get: "/a"};
  }
  rpc GetText(Req) returns (Res) {
    option (connectrest.v1.method).response_encoding = BYTES;
    option (google.api.http) = {get: "/a" response_body: "text"};
  }
  rpc GetAll(Req) returns (Res) {
    option (connectrest.v1.method).response_encoding = BYTES;
    option (google.api.http) = {get: "/a" response_body: "all"};
  }
}
message Req {}
message Res { bytes data = 1; string text = 2; repeated bytes all = 3; }`,
    problems: ["Get", "GetText", "GetAll"].map(
      (name, index) =>
        `${3 + 4 * index}:5: response-bytes: the response of case.S.${name} is read as bytes, but case.Res has no place for them; name a field of type bytes in \`response_body\`, or return google.api.HttpBody`,
    ),
  },
  {
    name: "api_key_place",
    source: method('get: "/a"', "option (connectrest.v1.method).credentials = API_KEY;"),
    problems: [
      '4:5: api-key-place: case.S.Get accepts an API key, but no rule says where to send it; add `api_key { query: "…" }` or `api_key { header: "…" }`',
    ],
  },
  {
    name: "error_reason",
    source: method(
      'get: "/a"',
      'option (connectrest.v1.method).errors = {status: 404, reason: "not found"};',
    ),
    problems: ["4:5: error-reason: the reason `not found` must be UPPER_SNAKE_CASE (google.rpc.ErrorInfo)"],
  },
  {
    name: "header",
    source: method('get: "/a"', 'option (connectrest.v1.method).headers = {name: "a b", value: "\\n"};'),
    problems: [
      '4:5: header: "a b: \\n" is not a valid header (RFC 9110 section 5)',
      "4:5: rule-text: headers.value of case.S.Get has the character U+000A at 1; expected printable ASCII on one line (RFC 9110 section 5.5)",
    ],
  },
  {
    name: "query_map",
    source: request("map<string, string> m = 1;"),
    problems: [
      "4:3: query-map: the map `m` cannot be a query parameter of case.S.Get; set style: SPREAD, or http: {nesting: BRACKETS}",
    ],
  },
  {
    name: "query_repeated_message",
    source: request("repeated Res r = 1;"),
    problems: [
      "4:3: query-repeated-message: the repeated message `r` cannot be a query parameter of case.S.Get; use a body, or http: {nesting: BRACKETS}",
    ],
  },
  {
    name: "query_recursion",
    source: request("Tree tree = 1;", "message Tree { Tree child = 1; }"),
    problems: [
      "6:16: query-recursion: the message case.Tree at `tree.child` contains itself, so it cannot be sent as query parameters of case.S.Get",
    ],
  },
  {
    name: "query_type",
    source: request(
      [
        "google.protobuf.Struct s = 1;",
        "google.protobuf.Any a = 2;",
        "google.protobuf.Value v = 3;",
        "google.protobuf.ListValue l = 4;",
        "Inner inner = 5;",
        "google.protobuf.Empty e = 6;",
      ].join("\n  "),
      "message Inner { google.protobuf.Value v = 1; }",
    ),
    problems: [
      "4:3: query-type: the google.protobuf.Struct `s` can hold any JSON and cannot be a query parameter of case.S.Get; use a body, or http: {nesting: BRACKETS}",
      "5:3: query-type: the google.protobuf.Any `a` can hold any JSON and cannot be a query parameter of case.S.Get; use a body, or http: {nesting: BRACKETS}",
      "6:3: query-type: the google.protobuf.Value `v` can hold any JSON and cannot be a query parameter of case.S.Get; use a body, or http: {nesting: BRACKETS}",
      "7:3: query-type: the google.protobuf.ListValue `l` can hold any JSON and cannot be a query parameter of case.S.Get; use a body, or http: {nesting: BRACKETS}",
      "11:17: query-type: the google.protobuf.Value `inner.v` can hold any JSON and cannot be a query parameter of case.S.Get; use a body, or http: {nesting: BRACKETS}",
    ],
  },
  {
    name: "spread_of_messages",
    source: request("map<string, Res> m = 1 [(connectrest.v1.field).style = SPREAD];"),
    problems: ["4:27: style-type: SPREAD writes values as text, but those of case.Req.m are messages"],
  },
  {
    name: "comma_of_messages",
    source: `service S {
  rpc Get(Req) returns (Res) { option (google.api.http) = {post: "/a" body: "*"}; }
}
message Res {}
message Req {
  repeated Res r = 1 [(connectrest.v1.field).style = COMMA];
}`,
    problems: ["6:23: style-type: COMMA writes values as text, but those of case.Req.r are messages"],
  },
  {
    name: "in_type",
    source: request("Res r = 1 [(connectrest.v1.field).in = HEADER];"),
    problems: [
      '4:14: header-name: case.Req.r: a header needs a name of its own; set e.g. name: "X-Name"',
      "4:14: in-type: case.Req.r cannot be sent as a header, cookie or parameter; use a scalar",
    ],
  },
  {
    name: "in_nested",
    source: request("Inner i = 1;", "message Inner { string s = 1 [(connectrest.v1.field).in = HEADER]; }"),
    problems: [
      '6:31: header-name: case.Inner.s: a header needs a name of its own; set e.g. name: "X-Name"',
      "6:31: in-nested: case.Inner.s has `in`, but case.Inner is nested in a request or response; only fields of the request message itself can be placed",
    ],
  },
  {
    name: "in_path",
    source: request("string s = 1 [(connectrest.v1.field).in = PATH];"),
    problems: [
      "4:17: in-unused: case.Req.s has `in: PATH`, but no path contains `{s}`; add it to one, or remove `in`",
    ],
  },
  {
    name: "in_body",
    source: request("string s = 1 [(connectrest.v1.field).in = BODY];"),
    problems: [
      '4:17: in-unused: case.Req.s has `in: BODY`, but no binding has a body that holds it; add `body: "*"`, or remove `in`',
    ],
  },
  {
    name: "part_type",
    source: `service S {
  rpc Get(Req) returns (Res) {
    option (google.api.http) = {post: "/a" body: "*"};
    option (connectrest.v1.method).request_encoding = MULTIPART;
  }
}
message Res {}
message Req {
  int32 n = 1 [(connectrest.v1.field).in = PART];
}`,
    problems: [
      "9:16: part-type: case.Req.n cannot be a part; use bytes, google.api.HttpBody, or a message with a field that has piece: CONTENT",
    ],
  },
  {
    name: "in_part",
    source: request("bytes b = 1 [(connectrest.v1.field).in = PART];"),
    problems: [
      '4:16: in-unused: case.Req.b has `in: PART`, but no binding has a multipart body; add `body: "*"` and request_encoding: MULTIPART, or remove `in`',
    ],
  },
  {
    name: "time_type",
    source: response("int32 t = 1 [(connectrest.v1.field).time.unit = SECONDS];"),
    problems: [
      "4:16: time-type: `time` requires a google.protobuf.Timestamp or Duration; case.Res.t is neither",
    ],
  },
  {
    name: "time_format",
    source: response(
      'google.protobuf.Timestamp t = 1 [(connectrest.v1.field).time = {unit: FORMAT, format: "HH:mm"}];',
    ),
    problems: ['4:81: time-format: the format of case.Res.t has no year; write e.g. "YYYY-MM-DD HH:mm:ss"'],
  },
  {
    name: "unwrap_type",
    source: response("Req r = 1 [(connectrest.v1.field).unwrap = true];"),
    problems: [
      "4:14: unwrap-type: `unwrap` requires a message whose only field is repeated, a map, or `optional`; case.Res.r is not one",
    ],
  },
  {
    name: "unwrap_null",
    source: response(
      `repeated Any a = 1 [(connectrest.v1.field).unwrap = true];
  map<string, Twice> b = 2 [(connectrest.v1.field).unwrap = true];
  oneof c {
    Text d = 3 [(connectrest.v1.field).unwrap = true];
  }
  repeated Kept e = 4 [(connectrest.v1.field).unwrap = true];`,
      `message Any { google.protobuf.Value value = 1; }
message Text { optional string value = 1; }
message Twice { Text value = 1 [(connectrest.v1.field).unwrap = true]; }
message Kept { google.protobuf.Value value = 1 [(connectrest.v1.field).json_text = true]; }`,
    ),
    problems: [
      "4:23: unwrap-type: null would have two meanings for case.Res.a: null is already a value of case.Any.value; remove `unwrap`",
      "5:29: unwrap-type: null would have two meanings for case.Res.b: null is already a value of case.Twice.value; remove `unwrap`",
      "7:17: unwrap-type: case.Res.d is a member of the oneof `c`, which null cannot select; move the field out of the oneof",
    ],
  },
  {
    name: "unwrap_endless",
    source: response(
      "Row r = 1 [(connectrest.v1.field).unwrap = true];",
      "message Row { repeated Row rows = 1 [(connectrest.v1.field).unwrap = true]; }",
    ),
    problems: [
      "4:14: unwrap-type: case.Row.rows leads back to case.Row through `unwrap` alone, so the JSON would have no end; remove `unwrap` from one of the fields",
      "6:38: unwrap-type: case.Row.rows leads back to case.Row through `unwrap` alone, so the JSON would have no end; remove `unwrap` from one of the fields",
    ],
  },
  {
    name: "unwrap_struct",
    source: response("google.protobuf.Struct r = 1 [(connectrest.v1.field).unwrap = true];"),
    problems: [
      "4:33: no-effect: `unwrap` of case.Res.r has no effect: the JSON of a google.protobuf.Struct has no key for its only field; remove it",
    ],
  },
  {
    name: "query_oneof",
    source: request(
      "Inner inner = 1;",
      'message Inner { oneof kind { option (connectrest.v1.oneof).discriminator = "type"; string a = 1; string b = 2; } }',
    ),
    problems: [
      "6:30: query-oneof: the oneof `inner.kind` has a discriminator, which a query parameter of case.S.Get cannot carry below a message; use a body, or http: {nesting: BRACKETS}",
    ],
  },
  {
    name: "mask_type",
    source: request("string s = 1 [(connectrest.v1.field).mask.unset = NULL];"),
    problems: ["4:17: mask-type: `mask` requires a google.protobuf.FieldMask; case.Req.s is not one"],
  },
  {
    name: "mask_of",
    source: request(
      'google.protobuf.FieldMask m = 1 [(connectrest.v1.field).mask.of = "inmer"]; Inner inner = 2;',
      "message Inner { string s = 1; }",
    ),
    problems: [
      "4:36: mask-of: case.Req.m speaks of `inmer`, which is no message beside it or in the response; did you mean `inner`?",
    ],
  },
  {
    name: "mask_unset",
    source: request("google.protobuf.FieldMask m = 1 [(connectrest.v1.field).mask.unset = NULL];"),
    problems: ["4:36: mask-unset: `unset` of case.Req.m: the request has no JSON body; set `body`"],
  },
  {
    name: "mask_unset_several",
    source: method(
      'patch: "/a" body: "*"',
      "",
      "google.protobuf.FieldMask m = 1 [(connectrest.v1.field).mask.unset = NULL]; A a = 2; B b = 3; message A { string s = 1; } message B { string s = 1; }",
    ),
    problems: [
      "7:48: mask-unset: `unset` of case.Req.m: the body has several messages; name the one that is meant with `of`",
    ],
  },
  {
    name: "style_type",
    source: response("string s = 1 [(connectrest.v1.field).style = COMMA];"),
    problems: ["4:17: style-type: `style` requires a repeated field or a map; case.Res.s is singular"],
  },
  {
    name: "from_source",
    source: response('string s = 1 [(connectrest.v1.field).from = {rel: "next"}];'),
    problems: ["4:17: from-source: a source of case.Res.s is empty; set header, status or path"],
  },
  {
    name: "unknown_twice",
    source: response(
      `map<string, string> a = 1 [(connectrest.v1.field).unknown = true];
  map<string, string> b = 2 [(connectrest.v1.field).unknown = true];`,
    ),
    problems: ["5:30: unknown-twice: case.Res already collects unknown keys in `a`"],
  },
  {
    name: "unknown_type",
    source: response("repeated string a = 1 [(connectrest.v1.field).unknown = true];"),
    problems: [
      "4:26: unknown-type: `unknown` requires a map<string, string> or a google.protobuf.Struct; case.Res.a is neither",
    ],
  },
  {
    name: "discriminator",
    source: response(`oneof o {
    option (connectrest.v1.oneof).layout = NESTED;
    string a = 1;
  }`),
    problems: ["5:5: discriminator: the oneof case.Res.o has a layout but no discriminator"],
  },
  {
    name: "fallback",
    source: response(`oneof o {
    option (connectrest.v1.oneof) = {discriminator: "type", fallback: "othr"};
    string other = 1;
  }`),
    problems: ["5:61: fallback: the oneof case.Res.o has no member `othr`; did you mean `other`?"],
  },
  {
    name: "payload",
    source: response(`oneof o {
    option (connectrest.v1.oneof) = {discriminator: "type", layout: BESIDE};
    string a = 1;
  }`),
    problems: ["5:12: payload: the oneof case.Res.o has the layout BESIDE and must set `payload`"],
  },
  {
    name: "payload_discriminator",
    source: response(
      'oneof o { option (connectrest.v1.oneof) = {discriminator: "type", layout: BESIDE, payload: "type"}; Inner a = 1; }',
      "message Inner { string n = 1; }",
    ),
    problems: [
      "4:85: payload: the key `type` of the oneof case.Res.o cannot hold both the discriminator and the payload; set another payload",
    ],
  },
  {
    name: "nested_discriminator",
    source: response(
      'oneof o { option (connectrest.v1.oneof) = {discriminator: "type", layout: NESTED}; Inner a = 1 [(connectrest.v1.field).name = "type"]; }',
      "message Inner { string n = 1; }",
    ),
    problems: [
      "4:99: name-twice: case.Res.a is read from the key `type`, which is the discriminator of its oneof; set another name",
    ],
  },
  {
    name: "in_unused_oauth1",
    source: request('string s = 1 [(connectrest.v1.field) = {in: OAUTH1_PARAM, name: "oauth_verifier"}];'),
    problems: [
      "4:43: in-unused: case.Req.s has `in: OAUTH1_PARAM`, but case.S.Get is not signed; add OAUTH1 or OAUTH1_CLIENT to its credentials, or remove `in`",
    ],
  },
  {
    name: "when_twice",
    source: response(`oneof o {
    option (connectrest.v1.oneof).discriminator = "type";
    Req a = 1 [(connectrest.v1.field).when = {values: ["x", "y"]}];
    Req b = 2 [(connectrest.v1.field).when = {values: ["y"]}];
  }`),
    problems: ["7:16: when-twice: `y` already selects `a` in the oneof case.Res.o"],
  },
  {
    name: "type_unsupported",
    source: `import "google/api/httpbody.proto";
${response("Inner i = 2;", "message Inner { google.api.HttpBody b = 1; }")}`,
    problems: [
      "7:17: type-unsupported: case.Inner.b is a google.api.HttpBody within JSON; it can only be the whole body",
    ],
  },
  {
    name: "type_unsupported_answer",
    source: `service S {
  rpc Get(Req) returns (google.protobuf.Timestamp) { option (google.api.http) = {get: "/a"}; }
}
message Req {}`,
    problems: [
      "2:3: type-unsupported: case.S.Get returns google.protobuf.Timestamp, which cannot be a whole response",
    ],
  },
  {
    name: "query_of_google_type",
    source: `import "google/api/httpbody.proto";
service S {
  rpc Get(google.api.HttpBody) returns (Res) { option (google.api.http) = {post: "/a"}; }
}
message Res {}`,
    problems: [
      "3:3: query-repeated-message: the repeated message `extensions` cannot be a query parameter of case.S.Get; use a body, or http: {nesting: BRACKETS}",
    ],
  },
  ...(
    [
      [
        "operation_path",
        'path: "/v1/jobs"',
        "operation-path: operation of case.S.Get: expected a path with one variable, e.g. `/v1/{name}`, got `/v1/jobs`",
      ],
      [
        "operation_result",
        'result: "a", result_link: "b"',
        "operation-result: operation of case.S.Get: the result is in the payload or behind a link, not both; set result or result_link",
      ],
      [
        "operation_interval",
        "interval: {seconds: -1}",
        "operation-interval: operation of case.S.Get: expected more than 0 and at most 2147483647 ms, got -1000 ms",
      ],
      [
        "operation_polls",
        "max_polls: -1",
        "operation-polls: operation of case.S.Get: expected 1 poll or more, or 0 for the default, got -1",
      ],
      [
        "operation_header",
        'header: "a b"',
        "header-name: operation of case.S.Get: `a b` is not a valid header name (RFC 9110 section 5.1); expected e.g. `X-Name`",
      ],
      [
        "operation_when",
        'done: {key: "state"}',
        "when-empty: operation of case.S.Get: the condition `done` is empty; set values, present or type",
      ],
      [
        "operation_dotted",
        'link: "a..b"',
        "dotted-path: operation of case.S.Get: the path `a..b` has an empty key; expected keys joined by dots: `a.b`",
      ],
    ] as const
  ).map(([name, rule, text]) => ({
    name,
    source: method('get: "/a"', `option (connectrest.v1.method) = {operation: {${rule}}};`),
    // A problem in a message value is reported at the first character of the value.
    problems: [`4:${52 + rule.indexOf("{")}: ${text}`],
  })),
  {
    name: "redirects_verb",
    source: method('post: "/a"', "option (connectrest.v1.method).redirects = true;"),
    problems: [
      "4:5: redirects-verb: case.S.Get cannot follow redirects: they are followed for GET and HEAD, and it is a POST",
    ],
  },
  {
    name: "operation_encoding",
    source: method(
      'get: "/a"',
      "option (connectrest.v1.method) = {operation: {}, response_encoding: EMPTY};",
    ),
    problems: [
      "4:12: operation-encoding: operation of case.S.Get: its states are in JSON, which response_encoding EMPTY does not read",
    ],
  },
  {
    name: "operation_stream_result",
    source: `service S {
  rpc Get(Req) returns (stream Res) {
    option (google.api.http) = {get: "/a"};
    option (connectrest.v1.method).operation = {result: "a"};
  }
}
message Req {}
message Res {}`,
    problems: [
      "4:49: operation-result: operation of case.S.Get: the messages of a stream are the states, not the result; remove it, or make the method unary",
    ],
  },
  {
    name: "stream_unmapped",
    source: `service S {
  rpc Get(Req) returns (stream Res) {
    option (google.api.http) = {get: "/a"};
    option (connectrest.v1.method).timeout = {seconds: 5};
  }
}
message Req {}
message Res {}`,
    problems: [
      "2:3: stream-unmapped: the stream case.S.Get has no rule that maps it to REST calls; add one: paginate for the items of a list, page by page; poll for a feed; records for one response, with format: LINES (NDJSON), EVENT_STREAM (server-sent events) or ARRAY (one JSON array); operation for the states of accepted work; download for a body of bytes; or remove its HTTP rule",
    ],
  },
  {
    name: "stream_unmapped_and_more",
    source: `service S {
  rpc Get(Res) returns (stream Res) {
    option (google.api.http) = {get: "/a" response_body: "items"};
    option (connectrest.v1.method).timeout = {};
  }
  rpc Put(stream Req) returns (Res) { option (google.api.http) = {get: "/{nmae}"}; }
  rpc Talk(stream Req) returns (stream Res) { option (google.api.http) = {get: "/b/*"}; }
}
message Req {
  string name = 1;
  repeated Req more = 2;
}
message Res { string items = 1; }`,
    problems: [
      "2:3: stream-unmapped: the stream case.S.Get has no rule that maps it to REST calls; add one: paginate for the items of a list, page by page; poll for a feed; records for one response, with format: LINES (NDJSON), EVENT_STREAM (server-sent events) or ARRAY (one JSON array); operation for the states of accepted work; download for a body of bytes; or remove its HTTP rule",
      "4:12: timeout-range: the timeout of case.S.Get: expected more than 0 and at most 2147483647 ms, got 0 ms",
      "6:3: stream-unmapped: the stream case.S.Put has no rule that maps it to REST calls; add upload, which makes it the request body or a part of it, or remove its HTTP rule",
      "6:67: path-field: the path variable `nmae`: message case.Req has no field `nmae`; did you mean `name`?",
      "7:3: stream-unmapped: the stream case.S.Talk has no rule that maps it to REST calls; HTTP has no calls that stream both ways; remove its HTTP rule",
      "7:75: path-wildcard: a wildcard outside of a variable has no value to send; name a field: `{field=*}`",
      "11:3: query-repeated-message: the repeated message `more` cannot be a query parameter of case.S.Put; use a body, or http: {nesting: BRACKETS}",
      "11:3: query-repeated-message: the repeated message `more` cannot be a query parameter of case.S.Talk; use a body, or http: {nesting: BRACKETS}",
    ],
  },
  {
    name: "stream_kind",
    source: method('get: "/a"', 'option (connectrest.v1.method).poll = {items: ".", key: "id"};'),
    problems: ["4:12: stream-kind: poll requires a method with a server stream alone; case.S.Get is not one"],
  },
  ...(
    [
      [
        "stream_rules",
        'paginate: {items: "x", link: "next"}, poll: {items: "x", key: "id"}',
        "4:84: stream-rules: case.S.Get has more than one stream rule: paginate, poll",
      ],
      [
        "stream_items",
        'paginate: {link: "next"}',
        '4:50: stream-items: paginate needs the path to its items, e.g. items: "posts", or "." for the payload',
      ],
      [
        "poll_items",
        'poll: {key: "id"}',
        '4:46: stream-items: poll needs the path to its items, e.g. items: "."',
      ],
      [
        "poll_key",
        'poll: {items: "."}',
        '4:46: poll-key: poll needs a key that identifies an item, e.g. key: "id"',
      ],
      [
        "paginate_next",
        'paginate: {items: "."}',
        "4:50: paginate-next: paginate does not say how to find the next page; set link, link_header, offset, page, cursor or last_item",
      ],
      [
        "paginate_cursor_path",
        'paginate: {items: "x", cursor: {field: "name"}}',
        "4:71: paginate-cursor: the cursor needs `path`, or (only for `cursor`) `header`",
      ],
      [
        "paginate_cursor_field",
        'paginate: {items: "x", cursor: {path: "next", field: "tags"}}',
        "4:85: paginate-cursor: the field `tags` takes no cursor; use a string, an integer or a Timestamp",
      ],
      [
        "paginate_step",
        'paginate: {items: ".", offset: "name"}',
        "4:62: paginate-step: the field `name` must be an integer to count pages or items",
      ],
      [
        "stream_field",
        'paginate: {items: ".", page: "pgae"}',
        "4:62: stream-field: paginate: message case.Req has no field `pgae`; did you mean `page`?",
      ],
      [
        "stream_chunk",
        'download: {chunk: "text"}',
        "4:50: stream-chunk: download: the chunk `text` must be a field of type bytes",
      ],
    ] as const
  ).map(([name, rule, problem]) => ({
    name,
    source: `service S {
  rpc Get(Req) returns (stream Res) {
    option (google.api.http) = {get: "/a"};
    option (connectrest.v1.method) = {${rule}};
  }
}
message Req { string name = 1; repeated string tags = 2; int32 page = 3; }
message Res { string text = 1; }`,
    problems: [problem],
  })),
  ...(
    [
      [
        "poll_batch_field",
        'batch: {items: "item", resume_token: "token"}',
        "4:75: stream-field: poll: message case.Res has no field `item`; did you mean `items`?",
      ],
      [
        "poll_batch_empty",
        "batch: {}",
        "4:12: poll-batch: poll: batch needs a field for the resume token; set resume_token",
        "4:12: poll-batch: poll: batch needs the repeated field with its items; set items",
      ],
      [
        "poll_batch_items",
        'batch: {items: "token", resume_token: "token"}',
        "4:75: poll-field: poll: `token` must be a repeated field of messages",
      ],
      [
        "poll_batch_token",
        'batch: {items: "items", resume_token: "late"}',
        "4:91: poll-field: poll: `late` must be a field of type string",
      ],
      [
        "poll_batch_late",
        'batch: {items: "items", resume_token: "token", late: "token"}',
        "4:114: poll-field: poll: `token` must be a field of type bool",
      ],
      [
        "poll_batch_gap",
        'batch: {items: "items", resume_token: "token", late: "late", gap: "late"}',
        "4:75: poll-field: poll: `late` is named twice; use a field of its own for each",
      ],
      [
        "poll_batch_heartbeat",
        'batch: {items: "items", resume_token: "token", heartbeat: "late"}',
        "4:114: poll-field: poll: `late` must be a field of type connectrest.v1.Heartbeat",
      ],
      [
        "poll_batch_filled",
        'batch: {items: "items", resume_token: "token"}',
        "4:75: poll-batch: poll: `late` of the batch case.Res would never be set; name it in batch, or remove it",
      ],
      [
        "poll_request_backlog",
        `${BATCH}, request: {backlog: "name"}`,
        "4:139: poll-field: poll: `name` must be a field of type bool",
      ],
      [
        "poll_request_after",
        `${BATCH}, request: {after: "all"}`,
        "4:139: poll-field: poll: `all` must be a field of type string",
      ],
      [
        "poll_request_token",
        `${BATCH}, request: {resume_token: "nmae"}`,
        "4:139: stream-field: poll: message case.Req has no field `nmae`; did you mean `name`?",
      ],
      [
        "poll_request_heartbeat",
        `${BATCH}, request: {heartbeat: "all"}`,
        "4:139: poll-field: poll: `all` must be a field of type google.protobuf.Duration",
      ],
      [
        "poll_request_twice",
        `${BATCH}, request: {after: "name", resume_token: "name"}`,
        "4:139: poll-field: poll: `name` is named twice; use a field of its own for each",
      ],
      [
        "poll_ignore_case",
        `${BATCH}, ignore_case: ["name", "all", "chosen"]`,
        "4:129: poll-field: poll: `all` must be a field of type string outside of oneofs",
        "4:129: poll-field: poll: `chosen` must be a field of type string outside of oneofs",
      ],
      [
        "poll_without_batch",
        'request: {after: "name"}, pages: {page: "page", max: 2}, ignore_case: "name"',
        "4:56: undeclared-key: poll of case.S.Get: no field of case.Res reads `id`; if the upstream has such a key, write it in quotes: `'id'`",
        "4:77: poll-without-batch: poll of case.S.Get: request requires batch, which is not set",
        "4:101: poll-without-batch: poll of case.S.Get: pages requires batch, which is not set",
        "4:124: poll-without-batch: poll of case.S.Get: ignore_case requires batch, which is not set",
      ],
      [
        "poll_backlog",
        `${BATCH}, skip_backlog: true`,
        "4:129: poll-backlog: poll of case.S.Get: with batch the request says where to start; remove skip_backlog, since from now on is the default",
      ],
      [
        "poll_pages",
        `${BATCH}, pages: {}`,
        "4:12: poll-pages: poll of case.S.Get: expected max to be 2 to 100 pages, got 0",
        "4:12: poll-pages: poll of case.S.Get: pages does not say how to find the next page; set link_header or page",
      ],
      [
        "poll_pages_max",
        `${BATCH}, pages: {page: "page", max: 101}`,
        "4:151: poll-pages: poll of case.S.Get: expected max to be 2 to 100 pages, got 101",
      ],
      [
        "poll_pages_size",
        `${BATCH}, pages: {link_header: "next", size: -1, max: 3}`,
        "4:158: poll-pages: poll of case.S.Get: expected a size of 1 item or more, or 0 where it is unknown, got -1",
      ],
    ] as const
  ).map(([name, rule, ...problems]) => ({
    name,
    source: `service S {
  rpc Get(Req) returns (stream Res) {
    option (google.api.http) = {get: "/a"};
    option (connectrest.v1.method).poll = {items: ".", key: "id", ${rule}};
  }
}
message Req { string name = 1; bool all = 2; oneof one { string chosen = 3; } }
message Res { repeated Item items = 1; string token = 2; bool late = 3; }
message Item { string id = 1; }`,
    problems,
  })),
  ...RULE_CASES,
  ...IDLE_CASES,
];
