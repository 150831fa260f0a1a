/** Rules that would have no effect, and that the generator reports. */

import { GET, method, type ProblemCase, request, response } from "./case-sources.ts";

/** Method rules, each tested on a method that has `post: "/a"` and a body with all fields. */
const METHOD_RULES: ReadonlyArray<readonly [name: string, rule: string]> = [
  ["idle_key", 'idempotency_key: "Key"'],
  ["idle_credentials", "credentials: [NONE, OAUTH2]"],
  ["idle_envelope", 'envelope: {status: "meta.status"}'],
  ["idle_envelope_empty", 'envelope: {payload: "data"}, response_encoding: EMPTY'],
  ["idle_headers", 'headers: [{name: "X-A", value: "1"}, {name: "x-a", value: "2"}]'],
  ["idle_error", "errors: [{status: 404, code: NOT_FOUND}, {status: 404, code: ABORTED}]"],
  ["idle_api_key", 'api_key: {header: "X-Key"}'],
  ["idle_path_fields", "http: {path_fields_in_body: true}"],
  ["idle_slash", "http: {slash: REFUSE, control_characters_in_path: true}"],
  ["idle_base64", "http: {url_safe_base64_in_query: true, url_safe_base64_in_path: true}"],
  ["idle_nesting", "http: {nesting: BRACKETS, omit_required_zeros: true}"],
  ["idle_integers", "json: {integers: NUMBERS}"],
  ["success_anyway", "success: 200"],
  ["success_twice", "success: [404, 404]"],
  ["parameter_twice", 'parameters: [{name: "a", value: "1"}, {name: "a", value: "2"}]'],
];

/** Request fields, one per case. */
const REQUEST_FIELDS: ReadonlyArray<readonly [name: string, field: string]> = [
  ["header_without_name", "string x = 1 [(connectrest.v1.field).in = HEADER];"],
  ["idle_in_aliases", 'string x = 1 [(connectrest.v1.field) = {in: QUERY, aliases: "y"}];'],
  ["idle_in_from", 'string x = 1 [(connectrest.v1.field) = {in: QUERY, from: {path: "y"}}];'],
  ["idle_in_coerce", "string x = 1 [(connectrest.v1.field) = {in: QUERY, coerce: true}];"],
  ["idle_in_absent", 'string x = 1 [(connectrest.v1.field) = {in: QUERY, absent: "-"}];'],
  ["idle_request_aliases", 'string x = 1 [(connectrest.v1.field).aliases = "y"];'],
  ["idle_request_from", 'string x = 1 [(connectrest.v1.field).from = {path: "y"}];'],
  ["idle_request_coerce", "string x = 1 [(connectrest.v1.field).coerce = true];"],
  ["idle_request_absent", 'string x = 1 [(connectrest.v1.field).absent = "-"];'],
  ["idle_request_number", "int64 x = 1 [(connectrest.v1.field).number = true];"],
  ["idle_nothing_piece", "string x = 1 [(connectrest.v1.field) = {in: NOTHING, piece: CONTENT}];"],
  ["idle_in_unknown", "map<string, string> x = 1 [(connectrest.v1.field) = {in: NOTHING, unknown: true}];"],
  [
    "idle_in_style",
    'repeated string x = 1 [(connectrest.v1.field) = {in: HEADER, name: "X-A", style: COMMA}];',
  ],
  ["idle_in_number", 'int64 x = 1 [(connectrest.v1.field) = {in: COOKIE, name: "a", number: true}];'],
  ["idle_encoding", "string x = 1 [(connectrest.v1.field).encoding = PERCENT];"],
  ["idle_json_text_cookie", "Req x = 1 [(connectrest.v1.field) = {in: COOKIE, json_text: true}];"],
  [
    "idle_json_text_style",
    "repeated int32 x = 1 [(connectrest.v1.field) = {json_text: true, style: COMMA}];",
  ],
  [
    "idle_json_text_member",
    'oneof o { option (connectrest.v1.oneof) = {discriminator: "t", layout: FLATTENED}; Leaf a = 1 [(connectrest.v1.field).json_text = true]; } message Leaf { string n = 1; }',
  ],
  ["idle_nothing", 'string x = 1 [(connectrest.v1.field) = {in: NOTHING, name: "y"}];'],
];

/** Response fields, one per case. */
const RESPONSE_FIELDS: ReadonlyArray<readonly [name: string, field: string]> = [
  ["rel_not_link", 'string x = 1 [(connectrest.v1.field).from = {header: "X-Next", rel: "next"}];'],
  ["idle_from_name", 'string x = 1 [(connectrest.v1.field) = {from: {path: "a.b"}, name: "y"}];'],
  ["idle_response_style", "repeated string x = 1 [(connectrest.v1.field).style = BRACKETS];"],
  [
    "idle_response_rounding",
    "google.protobuf.Timestamp x = 1 [(connectrest.v1.field).time = {unit: SECONDS, rounding: UP}];",
  ],
  [
    "alias_shared",
    'string x = 1 [(connectrest.v1.field).aliases = "user_key"]; string y = 2 [(connectrest.v1.field).name = "userKey"];',
  ],
  ["read_twice_key", 'string x = 1; string y = 2 [(connectrest.v1.field).name = "x"];'],
  ["read_twice_type", 'string x = 1; repeated string y = 2 [(connectrest.v1.field).from = {path: "x"}];'],
  ["read_twice_inside", 'string x = 1; string y = 2 [(connectrest.v1.field).from = {path: "x.y"}];'],
  ["idle_from_aliases", 'string x = 1 [(connectrest.v1.field) = {from: {path: "a.b"}, aliases: "y"}];'],
  ["idle_absent_member", 'oneof o { string a = 1 [(connectrest.v1.field).absent = "-"]; int32 b = 2; }'],
  [
    "idle_json_text_unknown",
    "map<string, string> x = 1 [(connectrest.v1.field) = {unknown: true, json_text: true}];",
  ],
  [
    "idle_json_text_union",
    'Union u = 1; } message Union { oneof o { option (connectrest.v1.oneof).layout = UNWRAPPED; Inner a = 1 [(connectrest.v1.field) = {when: {type: "object"}, json_text: true}]; }',
  ],
  ["idle_unknown_name", 'map<string, string> x = 1 [(connectrest.v1.field) = {unknown: true, name: "y"}];'],
  [
    "idle_payload",
    'oneof o { option (connectrest.v1.oneof) = {discriminator: "t", payload: "p"}; Inner a = 1; }',
  ],
  [
    "idle_discriminator",
    'oneof o { option (connectrest.v1.oneof).discriminator = "t"; Inner a = 1 [(connectrest.v1.field).when = {key: "n", present: true}]; }',
  ],
  [
    "idle_member_coerce",
    'oneof o { option (connectrest.v1.oneof).discriminator = "t"; Inner a = 1 [(connectrest.v1.field).coerce = true]; }',
  ],
  [
    "idle_member_name",
    'oneof o { option (connectrest.v1.oneof) = {discriminator: "t", layout: BESIDE, payload: "p"}; Inner a = 1 [(connectrest.v1.field) = {name: "b", aliases: "c"}]; }',
  ],
  [
    "idle_fallback",
    'oneof o { option (connectrest.v1.oneof) = {discriminator: "t", fallback: "b"}; Inner a = 1; Inner b = 2 [(connectrest.v1.field).when = {values: "b"}]; }',
  ],
  [
    "members_of_one_key",
    'oneof o { string a = 1 [(connectrest.v1.field).name = "k"]; int32 b = 2 [(connectrest.v1.field).name = "k"]; }',
  ],
  [
    "member_without_condition",
    'oneof o { string a = 1 [(connectrest.v1.field) = {name: "k", when: {key: "k", type: "string"}}]; int32 b = 2; }',
  ],
];

const NESTED_INNER = "message Inner { string n = 1; }";

const SOURCES: ReadonlyArray<readonly [name: string, source: string]> = [
  ...METHOD_RULES.map(
    ([name, rule]) =>
      [name, method('put: "/a" body: "*"', `option (connectrest.v1.method) = {${rule}};`)] as const,
  ),
  ...REQUEST_FIELDS.map(([name, field]) => [name, request(field)] as const),
  ...RESPONSE_FIELDS.map(([name, field]) => [name, response(field, NESTED_INNER)] as const),
  [
    "from_nested",
    response(
      "Inner i = 1;",
      'message Inner { string x = 1 [(connectrest.v1.field).from = {header: "X-A"}]; }',
    ),
  ],
  [
    "idle_json_text_body",
    `service S { rpc Get(Req) returns (Res) { option (google.api.http) = {post: "/a" body: "x"}; } }
message Res {}
message Req { repeated string x = 1 [(connectrest.v1.field).json_text = true]; }`,
  ],
  [
    "idle_cursor",
    `service S {
  rpc Get(Req) returns (stream Res) {
    option (google.api.http) = {get: "/a"};
    option (connectrest.v1.method).paginate = {items: "x", cursor: {path: "next", header: "X-Next", field: "name"}};
  }
}
message Req { string name = 1; }
message Res {}`,
  ],
  [
    "idle_last_item",
    `service S {
  rpc Get(Req) returns (stream Res) {
    option (google.api.http) = {get: "/a"};
    option (connectrest.v1.method).paginate = {items: ".", last_item: {path: "id", header: "X-Next", field: "name"}};
  }
}
message Req { string name = 1; }
message Res {}`,
  ],
  [
    "idle_filename",
    `service S {
  rpc Send(stream Req) returns (Res) {
    option (google.api.http) = {post: "/a" body: "*"};
    option (connectrest.v1.method).upload = {chunk: "chunk", filename: "name"};
  }
}
message Req { bytes chunk = 1; string name = 2; }
message Res {}`,
  ],
  [
    "service_unmapped",
    'service S { option (connectrest.v1.service).upstream = "s"; rpc Get(Req) returns (Res); }\nmessage Req {}\nmessage Res {}',
  ],
  [
    "method_unmapped",
    `service S { ${GET} rpc Other(Req) returns (Res) { option (connectrest.v1.method).base = "b"; } }\nmessage Req {}\nmessage Res {}`,
  ],
];

/** The expected problems of each case. */
const PROBLEMS: Readonly<Record<string, readonly string[]>> = {
  idle_key: [
    "4:39: no-effect: idempotency_key of case.S.Get has no effect: the method is idempotent without a key; remove it",
  ],
  idle_credentials: [
    "4:39: no-effect: OAUTH2 in credentials of case.S.Get has no effect: NONE, which is always available, comes before it; put NONE last",
  ],
  idle_envelope: [
    '4:50: no-effect: status in the envelope of case.S.Get has no effect: an envelope without a payload means that there is none; set payload, e.g. "."',
  ],
  idle_envelope_empty: [
    "4:50: no-effect: the envelope of case.S.Get has no effect: a response read as EMPTY has no JSON; remove it",
  ],
  idle_headers: [
    "4:39: no-effect: the first header `x-a` of case.S.Get has no effect: a later one replaces it; keep one",
  ],
  idle_error: [
    "4:39: no-effect: error rule 2 of case.S.Get has no effect: rule 1 comes before it and matches whatever it matches; put the more specific rule first, or remove one",
  ],
  idle_api_key: [
    "4:49: no-effect: api_key of case.S.Get has no effect: the credentials do not include API_KEY; add it, or remove api_key",
  ],
  idle_path_fields: [
    "4:46: no-effect: path_fields_in_body of case.S.Get has no effect: no binding has both path variables and a body of fields; remove it",
  ],
  idle_slash: [
    "4:46: no-effect: slash of case.S.Get has no effect: no path has a variable; remove it",
    "4:61: no-effect: control_characters_in_path of case.S.Get has no effect: no path has a variable; remove it",
  ],
  idle_base64: [
    "4:46: no-effect: url_safe_base64_in_query of case.S.Get has no effect: no parameter of the query is of type bytes; remove it",
    "4:78: no-effect: url_safe_base64_in_path of case.S.Get has no effect: no path variable is of type bytes; remove it",
  ],
  idle_nesting: [
    "4:46: no-effect: nesting of case.S.Get has no effect: no parameter of a query or a form is nested; remove it",
    "4:65: no-effect: omit_required_zeros of case.S.Get has no effect: no field outside of the path is REQUIRED; remove it",
  ],
  idle_integers: [
    "4:46: no-effect: integers of case.S.Get has no effect: no field in JSON takes the notation of 64-bit integers from it; remove it",
  ],
  idle_request_aliases: [
    "4:17: no-effect: aliases of case.Req.x has no effect: the rule is for responses, and the field is only used in parameters of requests; remove it",
  ],
  idle_request_from: [
    "4:17: no-effect: from of case.Req.x has no effect: the rule is for responses, and the field is only used in parameters of requests; remove it",
  ],
  idle_request_coerce: [
    "4:17: no-effect: coerce of case.Req.x has no effect: the rule is for responses, and the field is only used in parameters of requests; remove it",
  ],
  idle_request_absent: [
    "4:17: no-effect: absent of case.Req.x has no effect: the rule is for responses, and the field is only used in parameters of requests; remove it",
  ],
  idle_request_number: [
    "4:16: no-effect: number of case.Req.x has no effect: the rule is for JSON requests, and the field is only used in parameters of requests; remove it",
  ],
  idle_nothing_piece: [
    "4:56: no-effect: piece of case.Req.x has no effect: a value in NOTHING is not sent; remove it",
  ],
  idle_from_name: [
    "4:64: no-effect: name of case.Res.x has no effect: the rule is for requests, and the field is only used in responses; remove it",
  ],
  idle_response_style: [
    "4:26: no-effect: style of case.Res.x has no effect: the rule is for parameters of requests, and the field is only used in responses; remove it",
  ],
  idle_response_rounding: [
    "4:82: no-effect: rounding of case.Res.x has no effect: the rule is for requests, and the field is only used in responses; remove it",
  ],
  alias_shared: [
    "4:17: alias-shared: the alias `user_key` of case.Res.x is also a key of case.Res.y, so that one value would set both fields; remove it from one of them",
  ],
  read_twice_key: [
    '4:31: read-twice: case.Res.x and case.Res.y both read `x`; give one of them another name, or write `from: {path: "x"}` if both read it on purpose',
  ],
  read_twice_type: [
    "4:40: read-twice: case.Res.x and case.Res.y both read `x`, the first as a scalar and the second as an array, so that one is always lost; correct a name or a path, or declare a oneof with layout: UNWRAPPED",
  ],
  read_twice_inside: [
    "4:31: read-twice: case.Res.y reads `x.y`, but case.Res.x reads `x` as a scalar, so that one of them is always lost; correct one of the paths, or the type of `x`",
  ],
  success_anyway: ["4:39: success-status: success of case.S.Get: 200 is a success anyway; remove it"],
  success_twice: ["4:39: success-status: success of case.S.Get lists 404 twice; remove one"],
  parameter_twice: ["4:39: parameter-name: case.S.Get has two constant parameters `a`; remove one"],
  header_without_name: [
    '4:17: header-name: case.Req.x: a header needs a name of its own; set e.g. name: "X-Name"',
  ],
  idle_member_coerce: [
    "4:77: no-effect: coerce of case.Res.a has no effect: the oneof `o` is FLATTENED, so that the keys of the member are those of its fields; set it on these",
  ],
  idle_member_name: [
    "4:136: no-effect: name of case.Res.a has no effect: the members of the oneof `o` have one key, `p`; remove it",
    "4:147: no-effect: aliases of case.Res.a has no effect: the members of the oneof `o` have one key, `p`; remove it",
  ],
  idle_in_aliases: [
    "4:54: no-effect: aliases of case.Req.x has no effect: `in` places the field in a request, and the rule is for responses; remove it",
  ],
  idle_in_from: [
    "4:54: no-effect: from of case.Req.x has no effect: `in` places the field in a request, and the rule is for responses; remove it",
  ],
  idle_in_coerce: [
    "4:54: no-effect: coerce of case.Req.x has no effect: `in` places the field in a request, and the rule is for responses; remove it",
  ],
  idle_absent_member: [
    "4:27: no-effect: absent of case.Res.a has no effect: what a response has chooses the member of a oneof; remove it",
  ],
  idle_in_absent: [
    "4:54: no-effect: absent of case.Req.x has no effect: `in` places the field in a request, and the rule is for responses; remove it",
  ],
  idle_in_unknown: [
    "4:69: no-effect: unknown of case.Req.x has no effect: only a JSON body or a response has unknown keys; remove it",
  ],
  idle_in_style: [
    "4:77: no-effect: style of case.Req.x has no effect: a value in HEADER has one form; remove it",
  ],
  idle_in_number: ["4:65: no-effect: number of case.Req.x has no effect: it is for JSON; remove it"],
  idle_json_text_cookie: [
    "4:52: no-effect: json_text of case.Req.x has no effect: a value in COOKIE cannot be JSON; remove it",
  ],
  idle_json_text_style: [
    "4:68: no-effect: style of case.Req.x has no effect: with json_text the value is one text; remove it",
  ],
  idle_json_text_member: [
    "4:98: no-effect: json_text of case.Req.a has no effect: the oneof `o` is FLATTENED, so that the keys of the member are those of its fields; set it on these",
  ],
  idle_json_text_union: [
    "4:157: no-effect: json_text of case.Union.a has no effect: a JSON type chooses the member; set it on the fields that hold case.Union",
  ],
  idle_json_text_unknown: [
    "4:71: no-effect: json_text of case.Res.x has no effect: unknown keys are JSON already; remove it",
  ],
  idle_json_text_body: [
    "3:38: no-effect: json_text of case.Req.x has no effect: the whole body is JSON already; remove it",
  ],
  idle_encoding: [
    "4:17: no-effect: encoding of case.Req.x has no effect: it is for values in a HEADER or COOKIE that are not JSON; remove it",
  ],
  idle_nothing: [
    "4:56: no-effect: name of case.Req.x has no effect: a value in NOTHING is not sent; remove it",
  ],
  rel_not_link: [
    "4:17: from-rel: a source of case.Res.x: `rel` selects an address from a `Link` header (RFC 8288), not from `X-Next`",
  ],
  idle_from_aliases: [
    "4:64: no-effect: aliases of case.Res.x has no effect: `from` says where the value is; remove aliases",
  ],
  idle_unknown_name: [
    "4:71: no-effect: name of case.Res.x has no effect: a field that collects unknown keys has no key of its own; remove it",
  ],
  idle_payload: [
    "4:66: no-effect: payload of the oneof case.Res.o has no effect: its layout is not BESIDE; set layout: BESIDE, or remove payload",
  ],
  idle_discriminator: [
    "4:13: no-effect: discriminator of the oneof case.Res.o has no effect: every member has conditions on other keys; remove it, or the keys of the conditions",
  ],
  idle_fallback: [
    "4:108: no-effect: when of case.Res.b has no effect: the fallback is chosen where no other member is; remove it",
  ],
  members_of_one_key: [
    '4:76: when-missing: case.Res.b needs a condition: `a` of the oneof `o` reads the same key; add e.g. when: {key: "x", type: "string"}',
  ],
  member_without_condition: [
    '4:100: when-missing: case.Res.b needs a condition: the oneof `o` has no discriminator, and other members are chosen by theirs; add e.g. when: {key: "x", type: "string"}',
  ],
  from_nested: [
    "6:31: from-nested: case.Inner.x comes from a header, but case.Inner is nested in a response; move the field to the response message",
  ],
  idle_cursor: ["4:69: paginate-cursor: the cursor needs `path`, or (only for `cursor`) `header`"],
  idle_last_item: [
    "4:84: no-effect: header of last_item of case.S.Get has no effect: a value of an item is not in a header; use cursor",
  ],
  idle_filename: [
    '4:62: no-effect: filename of upload of case.S.Send has no effect: the body is not multipart; add `body: "*"` and request_encoding: MULTIPART, or remove it',
  ],
  service_unmapped: [
    "1:13: service-unmapped: case.S has rules, but none of its methods has an HTTP rule; add google.api.http to a method",
  ],
  method_unmapped: [
    "1:115: service-unmapped: case.S.Other has rules, but no HTTP rule, so there is no call for them; add google.api.http",
  ],
};

export const IDLE_CASES: readonly ProblemCase[] = SOURCES.map(([name, source]) => ({
  name,
  source,
  problems: PROBLEMS[name] ?? [],
}));
