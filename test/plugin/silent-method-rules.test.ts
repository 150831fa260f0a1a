/** Checks that every rule of a method or a service changes the generated code or is reported. */
import type { DescMessage } from "@bufbuild/protobuf";
import { expect, test } from "vitest";
import {
  MethodRulesSchema,
  ServiceRulesSchema,
} from "../../plugin/src/gen/connectrest/v1/method_rules_pb.ts";
import { caseOfRule, type RuleCase, silentCases } from "./rule-effects.ts";

/** Rules by field of the annotation language. `«»` encloses the tested rule. */
const SHARED: Readonly<Record<string, readonly string[]>> = {
  upstream: ['«upstream: "other"»'],
  base: ['«base: "other"»'],
  envelope: ['«envelope: {payload: "data"}»'],
  "Envelope.payload": ['envelope: {payload: "data" «payload: "result"»}'],
  "Envelope.status": ['envelope: {payload: "data" «status: "meta.status"»}'],
  "Envelope.message": ['envelope: {payload: "data" «message: "meta.message"»}'],
  "Envelope.errors": ['envelope: {payload: "data" «errors: "errors"»}'],
  "Envelope.empty": [
    'envelope: {payload: "data" «empty: NULL»}',
    'envelope: {payload: "data" «empty: EMPTY_BODY»}',
  ],
  "Envelope.known": ['envelope: {payload: "data" «known: "meta"»}'],
  errors: ["«errors: {status: 404, code: NOT_FOUND}»"],
  "ErrorRule.status": ["errors: {«status: 409» code: ABORTED}"],
  "ErrorRule.subcode": ["errors: {status: 409 «subcode: 7» code: ABORTED}"],
  "ErrorRule.header": ['errors: {status: 409 «header: {name: "X-A"}» code: ABORTED}'],
  "ErrorRule.code": ['errors: {status: 409 «code: ABORTED» reason: "A"}'],
  "ErrorRule.reason": ['errors: {status: 409 «reason: "A"» code: ABORTED}'],
  "ErrorRule.subcode_text": ['errors: {status: 409 «subcode_text: "A"» code: ABORTED}'],
  "ErrorRule.body": ['errors: {status: 409 «body: {key: "a", present: true}» code: ABORTED}'],
  "HeaderCondition.name": ['errors: {status: 409 header: {«name: "X-A"»} code: ABORTED}'],
  "HeaderCondition.value": ['errors: {status: 409 header: {name: "X-A" «value: "b"»} code: ABORTED}'],
  error_bodies: ['«error_bodies: {text: "error"}»'],
  "ErrorBody.items": ['«error_bodies: {items: {path: "errors" title: "title"}}»'],
  "ErrorBody.title_map": ['«error_bodies: {title_map: "errors"}»'],
  "ErrorBody.text": ['«error_bodies: {text: "error.message"}»'],
  "ErrorBody.oauth": ["«error_bodies: {oauth: true}»"],
  "ErrorBody.rpc_status": ["«error_bodies: {rpc_status: true}»"],
  "ErrorBody.field_map": ['«error_bodies: {field_map: "errors"}»'],
  "ErrorItems.path": ['error_bodies: {items: {«path: "errors"» title: "title"}}'],
  "ErrorItems.title": ['error_bodies: {items: {path: "errors" «title: "name"»}}'],
  "ErrorItems.code": ['error_bodies: {items: {path: "errors" title: "title" «code: "kind"»}}'],
  "ErrorItems.detail": ['error_bodies: {items: {path: "errors" title: "title" «detail: "text"»}}'],
  "ErrorItems.field": ['error_bodies: {items: {path: "errors" title: "title" «field: "field"»}}'],
  retry_after: ['«retry_after: {header: "X-Retry"}»'],
  "RetryAfter.header": ['retry_after: {«header: "X-Retry"»}'],
  "RetryAfter.format": [
    'retry_after: {header: "X-Retry" «format: EPOCH»}',
    'retry_after: {header: "X-Retry" «format: SECONDS»}',
  ],
  "RetryAfter.when": ['retry_after: {header: "X-Retry" «when: {name: "X-A"}»}'],
  "RetryAfter.path": ['retry_after: {«path: "retry"»}'],
  raw_error_body: ["«raw_error_body: true»", "«raw_error_body: false»"],
  headers: ['«headers: {name: "X-A" value: "a"}»'],
  "Header.name": ['headers: {«name: "X-A"» value: "a"}'],
  "Header.value": ['headers: {name: "X-A" «value: "a"»}'],
  api_key: ['credentials: API_KEY «api_key: {header: "X-Key"}»'],
  "ApiKey.query": ['credentials: API_KEY api_key: {«query: "key"»}'],
  "ApiKey.header": ['credentials: API_KEY api_key: {«header: "X-Key"»}'],
  "ApiKey.prefix": [
    'credentials: API_KEY api_key: {header: "X-Key" «prefix: "Key "»}',
    'credentials: API_KEY api_key: {query: "key" «prefix: "Key "»}',
  ],
  credentials: ["«credentials: OAUTH2»", "credentials: OAUTH2 «credentials: NONE»", "«credentials: NONE»"],
  json: ["«json: {names: AS_DECLARED}»"],
  "Json.names": ["json: {«names: AS_DECLARED»}", "json: {«names: LOWER_CAMEL»}"],
  "Json.integers": ["json: {«integers: NUMBERS»}", "json: {«integers: STRINGS»}"],
  http: ["«http: {slash: REFUSE}»"],
  "Http.slash": ["http: {«slash: REFUSE»}", "http: {«slash: ESCAPE»}"],
  "Http.path_fields_in_body": ["http: {«path_fields_in_body: true»}"],
  "Http.url_safe_base64_in_query": ["http: {«url_safe_base64_in_query: true»}"],
  "Http.url_safe_base64_in_path": ["http: {«url_safe_base64_in_path: true»}"],
  "Http.nesting": ["http: {«nesting: BRACKETS»}", "http: {«nesting: DOTS»}"],
  "Http.omit_required_zeros": ["http: {«omit_required_zeros: true»}"],
  "Http.control_characters_in_path": ["http: {«control_characters_in_path: true»}"],
  idempotency_key: ['«idempotency_key: "Idempotency-Key"»'],
  error_metadata: ['«error_metadata: {path: "request_id"}»'],
  "ErrorMetadata.path": ['error_metadata: {«path: "request_id"»}'],
  "ErrorMetadata.key": ['error_metadata: {path: "request_id" «key: "id"»}'],
  redirects: ["«redirects: true»", "«redirects: false»"],
  rate_limits: ["«rate_limits: {requests: 1 window: {seconds: 1}}»"],
  "RateLimit.requests": ["rate_limits: {«requests: 1» window: {seconds: 1}}"],
  "RateLimit.window": ["rate_limits: {requests: 1 «window: {seconds: 1}»}"],
  "RateLimit.calendar_day": ['rate_limits: {requests: 1 «calendar_day: "UTC"»}'],
  "RateLimit.bucket": ['rate_limits: {requests: 1 window: {seconds: 1} «bucket: "b"»}'],
  "RateLimit.per_credentials": ["rate_limits: {requests: 1 window: {seconds: 1} «per_credentials: true»}"],
  "RateLimit.when": ['rate_limits: {requests: 1 window: {seconds: 1} «when: {key: "name" present: true}»}'],
  "When.key": ['rate_limits: {requests: 1 window: {seconds: 1} when: {«key: "name"» present: true}}'],
  "When.values": [
    'rate_limits: {requests: 1 window: {seconds: 1} when: {key: "name" present: true «values: "a"»}}',
  ],
  "When.present": [
    'rate_limits: {requests: 1 window: {seconds: 1} when: {key: "name" values: "a" «present: true»}}',
  ],
  "When.type": [
    'errors: {status: 409 body: {key: "a" present: true «type: "string"»} code: ABORTED}',
    'errors: {status: 409 body: {key: "a" type: "string" «present: true»} code: ABORTED}',
  ],
};

const PAGINATE = 'paginate: {items: "items"';
const POLL = 'poll: {items: "items" key: "id"';
const BATCH = 'batch: {items: "items" resume_token: "token"';
const OPERATION = 'operation: {header: "Location" done: {key: "more" values: "false"}';

const OF_METHODS: Readonly<Record<string, readonly string[]>> = {
  scopes: ['credentials: OAUTH2 «scopes: "read"»'],
  timeout: ["«timeout: {seconds: 3}»"],
  request_encoding: [
    "«request_encoding: FORM»",
    "«request_encoding: JSON»",
    "«request_encoding: MULTIPART_WHEN_PARTS»",
  ],
  json_part: [
    'request_encoding: MULTIPART «json_part: "json"»',
    'request_encoding: MULTIPART_WHEN_PARTS «json_part: "json"»',
  ],
  response_encoding: [
    "«response_encoding: FORM»",
    "«response_encoding: JSON»",
    "«response_encoding: EMPTY»",
    "«response_encoding: BYTES»",
    "«response_encoding: BY_CONTENT_TYPE»",
  ],
  success: ["«success: 404»"],
  parameters: ['«parameters: {name: "a" value: "1"}»'],
  "Parameter.name": ['parameters: {«name: "a"» value: "1"}'],
  "Parameter.value": ['parameters: {name: "a" «value: "1"»}'],
  "Parameter.json": ['parameters: {name: "a" «json: "1"»}'],
  "Parameter.in_query": ['parameters: {name: "a" value: "1" «in_query: true»}'],
  idempotent: ["«idempotent: true»", "«idempotent: false»"],
  credential_fields: ['«credential_fields: "secret"»'],
  paginate: ['«paginate: {items: "items" link: "next"}»'],
  "Paginate.items": ['paginate: {items: "items" «items: "posts"» link: "next"}'],
  "Paginate.link": [`${PAGINATE} «link: "next"»}`],
  "Paginate.link_header": [`${PAGINATE} «link_header: "next"»}`],
  "Paginate.offset": [`${PAGINATE} «offset: "offset"»}`],
  "Paginate.page": [`${PAGINATE} «page: "offset"»}`],
  "Paginate.cursor": [`${PAGINATE} «cursor: {path: "next" field: "token"}»}`],
  "Paginate.last_item": [`${PAGINATE} «last_item: {path: "id" field: "token"}»}`],
  "Paginate.max_pages": [`${PAGINATE} link: "next" «max_pages: 3»}`],
  "Paginate.link_query": [`${PAGINATE} link: "next" «link_query: "q"»}`],
  "Paginate.more": [`${PAGINATE} link: "next" «more: {key: "more" values: "true"}»}`],
  "Paginate.total": [`${PAGINATE} offset: "offset" «total: "total"»}`],
  "Paginate.first": [
    `${PAGINATE} page: "offset" «first: 0»}`,
    `${PAGINATE} page: "offset" «first: 1»}`,
    `${PAGINATE} offset: "offset" «first: 1»}`,
  ],
  "Paginate.empty": [`${PAGINATE} link: "next" «empty: NULL»}`],
  "Paginate.link_always": [`${PAGINATE} link: "next" «link_always: true»}`],
  "Paginate.known": [`${PAGINATE} link: "next" «known: "meta"»}`],
  "Paginate.max_empty_pages": [
    ...["link", "offset", "page"].map((next) => `${PAGINATE} ${next}: "offset" «max_empty_pages: 3»}`),
    `${PAGINATE} link_header: "next" «max_empty_pages: 3»}`,
    `${PAGINATE} last_item: {path: "id" field: "token"} «max_empty_pages: 3»}`,
    `${PAGINATE} cursor: {path: "next" field: "token"} «max_empty_pages: 3»}`,
  ],
  "Cursor.path": [`${PAGINATE} cursor: {path: "next" «path: "meta.next"» field: "token"}}`],
  "Cursor.field": [`${PAGINATE} cursor: {path: "next" «field: "token"»}}`],
  "Cursor.header": [`${PAGINATE} cursor: {«header: "X-Next"» field: "token"}}`],
  "Cursor.always": [
    `${PAGINATE} cursor: {path: "next" field: "token" «always: true»}}`,
    `${PAGINATE} cursor: {header: "X-Next" field: "token" «always: true»}}`,
    `${PAGINATE} last_item: {path: "id" field: "token" «always: true»}}`,
  ],
  "Cursor.overlap": [
    `${PAGINATE} last_item: {path: "count" field: "offset" «overlap: {key: "id"}»}}`,
    `${PAGINATE} cursor: {path: "next" field: "token" «overlap: {key: "id"}»}}`,
  ],
  "Overlap.key": [`${PAGINATE} last_item: {path: "count" field: "offset" overlap: {«key: "id"»}}}`],
  "Overlap.size": [
    `${PAGINATE} last_item: {path: "count" field: "offset" overlap: {key: "id" «size: "size"»}}}`,
  ],
  "Overlap.default_size": [
    `${PAGINATE} last_item: {path: "count" field: "offset" overlap: {key: "id" «default_size: 3»}}}`,
  ],
  "Overlap.ascending": [
    `${PAGINATE} last_item: {path: "count" field: "offset" overlap: {key: "id" «ascending: true»}}}`,
  ],
  "Overlap.inclusive": [
    `${PAGINATE} last_item: {path: "count" field: "offset" overlap: {key: "id" «inclusive: true»}}}`,
    `${PAGINATE} last_item: {path: "count" field: "offset" overlap: {key: "id" ascending: true «inclusive: true»}}}`,
  ],
  poll: ['«poll: {items: "items" key: "id"}»'],
  "Poll.items": ['poll: {«items: "items"» key: "id"}'],
  "Poll.key": ['poll: {items: "items" «key: "id"»}'],
  "Poll.interval_header": [`${POLL} «interval_header: "X-Interval"»}`],
  "Poll.interval": [`${POLL} «interval: {seconds: 9}»}`],
  "Poll.skip_backlog": [`${POLL} «skip_backlog: true»}`],
  "Poll.batch": [`${POLL} «${BATCH}}»}`],
  "Poll.request": [`${POLL} ${BATCH}} «request: {after: "token"}»}`],
  "Poll.pages": [`${POLL} ${BATCH}} «pages: {page: "page" max: 3}»}`],
  "Poll.ignore_case": [`${POLL} ${BATCH}} «ignore_case: "name"»}`],
  "Poll.known": [`${POLL} «known: "meta"»}`],
  "PollBatch.items": [`${POLL} batch: {resume_token: "token" «items: "items"»}}`],
  "PollBatch.resume_token": [`${POLL} batch: {items: "items" «resume_token: "token"»}}`],
  "PollBatch.late": [`${POLL} ${BATCH} «late: "late"»}}`],
  "PollBatch.gap": [`${POLL} ${BATCH} «gap: "gap"»}}`],
  "PollBatch.heartbeat": [`${POLL} ${BATCH} «heartbeat: "beat"»}}`],
  "PollRequest.backlog": [`${POLL} ${BATCH}} request: {«backlog: "size"»}}`],
  "PollRequest.after": [`${POLL} ${BATCH}} request: {«after: "token"»}}`],
  "PollRequest.resume_token": [`${POLL} ${BATCH}} request: {«resume_token: "token"»}}`],
  "PollRequest.heartbeat": [`${POLL} ${BATCH}} request: {«heartbeat: "pause"»}}`],
  "PollPages.link_header": [`${POLL} ${BATCH}} pages: {max: 3 «link_header: "next"»}}`],
  "PollPages.page": [`${POLL} ${BATCH}} pages: {max: 3 «page: "page"»}}`],
  "PollPages.size": [
    `${POLL} ${BATCH}} pages: {max: 3 page: "page" «size: 20»}}`,
    `${POLL} ${BATCH}} pages: {max: 3 link_header: "next" «size: 20»}}`,
  ],
  "PollPages.max": [`${POLL} ${BATCH}} pages: {page: "page" «max: 3»}}`],
  upload: ['«upload: {chunk: "chunk"}»'],
  "Upload.chunk": ['upload: {«chunk: "chunk"»}'],
  "Upload.content_type": ['upload: {chunk: "chunk" «content_type: "name"»}'],
  "Upload.part": [
    'upload: {chunk: "chunk" «part: "name"»}',
    'request_encoding: MULTIPART upload: {chunk: "chunk" «part: "name"»}',
  ],
  "Upload.filename": [
    'upload: {chunk: "chunk" «filename: "name"»}',
    'request_encoding: MULTIPART upload: {chunk: "chunk" «filename: "name"»}',
  ],
  download: ['«download: {chunk: "chunk"}»'],
  "Download.chunk": ['download: {«chunk: "chunk"»}'],
  records: ["«records: {format: LINES}»"],
  "Records.format": [
    "records: {«format: LINES»}",
    "records: {«format: EVENT_STREAM»}",
    "records: {«format: ARRAY»}",
  ],
  "Records.event": ['records: {format: EVENT_STREAM «event: "name"»}'],
  "Records.id": ['records: {format: EVENT_STREAM «id: "id"»}'],
  "Records.data": ['records: {format: EVENT_STREAM «data: "name"»}'],
  "Records.end": [
    'records: {format: EVENT_STREAM «end: "[DONE]"»}',
    'records: {format: LINES «end: "[DONE]"»}',
  ],
  "Records.last": [
    'records: {format: LINES «last: {key: "more" values: "false"}»}',
    'records: {format: ARRAY «last: {key: "more" values: "false"}»}',
  ],
  "Records.idle": ["records: {format: LINES «idle: {seconds: 9}»}"],
  operation: [`«${OPERATION}}»`],
  "Operation.header": ['operation: {done: {key: "more" values: "false"} «header: "X-State"»}'],
  "Operation.link": ['operation: {done: {key: "more" values: "false"} «link: "next"»}'],
  "Operation.path": ['operation: {done: {key: "more" values: "false"} «path: "next"»}'],
  "Operation.done": ['operation: {header: "Location" «done: {key: "more" values: "false"}»}'],
  "Operation.failed": [`${OPERATION} «failed: {key: "next" values: "bad"}»}`],
  "Operation.result": [`${OPERATION} «result: "items"»}`],
  "Operation.result_link": [`${OPERATION} «result_link: "next"»}`],
  "Operation.interval": [`${OPERATION} «interval: {seconds: 9}»}`],
  "Operation.max_polls": [`${OPERATION} «max_polls: 9»}`],
};

/** A kind of method. */
interface Context {
  readonly http: string;
  readonly rules?: string;
  readonly takes?: "stream";
  readonly returns?: string;
}

const GET = '{get: "/a/{name}/{data}"}';
const POST = '{post: "/a/{name}" body: "*"}';

const CONTEXTS: Readonly<Record<string, Context>> = {
  get: { http: GET },
  post: { http: POST },
  put: { http: '{put: "/a/{name}" body: "*"}' },
  field: { http: '{post: "/a/{name}" body: "inner"}' },
  form: { http: POST, rules: "request_encoding: FORM" },
  multipart: { http: POST, rules: "request_encoding: MULTIPART" },
  empty: { http: GET, rules: "response_encoding: EMPTY" },
  download: { http: GET, rules: 'download: {chunk: "chunk"}', returns: "stream Res" },
  "no path": { http: '{get: "/a"}' },
  upload: { http: POST, rules: 'upload: {chunk: "chunk"}', takes: "stream" },
  pages: { http: GET, rules: `${PAGINATE} link: "next"}`, returns: "stream Item" },
  operation: { http: POST, rules: `${OPERATION}}`, returns: "stream Res" },
  feed: { http: GET, rules: `${POLL}}`, returns: "stream Item" },
  batches: { http: GET, rules: `${POLL} ${BATCH}}}`, returns: "stream Batch" },
  records: { http: GET, rules: "records: {format: LINES}", returns: "stream Item" },
};

const MESSAGES = `message Req {
  string name = 1 [(google.api.field_behavior) = REQUIRED];
  int64 big_count = 2;
  repeated string tags = 3;
  Inner inner = 4;
  string token = 5;
  int32 offset = 6;
  int32 size = 7;
  bytes data = 8;
  bytes chunk = 10;
  google.protobuf.Duration pause = 11;
  bytes more_data = 12;
}
message Inner { string deep_name = 1; int64 deep_count = 2; }
message Res {
  repeated Item items = 1;
  string next = 2;
  int64 total = 3;
  bool more = 4;
  bytes chunk = 5;
  string secret = 6 [(connectrest.v1.field).redact = true];
}
message Item { string id = 1; int64 count = 2; string name = 3; bool more = 4; }
message Batch { repeated Item items = 1; string token = 2; bool late = 3; bool gap = 4; bool beat = 5; }`;

function sourceOf(
  { http, rules = "", takes, returns = "Res" }: Context,
  rule: string,
  service: string,
): string {
  // The tested rule replaces an option with the same name in the context.
  const option = /^\w+:/.exec(rules)?.[0] ?? " ";
  const all = rule.includes(option) ? rule : `${rules} ${rule}`;
  return `import "google/api/field_behavior.proto";
service S {
  option (connectrest.v1.service) = {${service}};
  rpc Get(${takes ?? ""} Req) returns (${returns}) { option (google.api.http) = ${http}; option (connectrest.v1.method) = {${all}}; }
}
${MESSAGES}`;
}

/** Rules that may change nothing, with the reason. */
const EXCEPTIONS: ReadonlyArray<readonly [rule: RegExp, reason: string]> = [
  [
    /«(?:format: (?:SECONDS|LINES)|names: LOWER_CAMEL|integers: STRINGS|slash: ESCAPE|nesting: DOTS|first: \d|\w+: (?:JSON|false))»/,
    "states the default, so that readers see it or a method overrides its service",
  ],
  [
    /^(?:get|no path|empty|download|pages|feed|records|put) \| «idempotent: true»/,
    "states the default of the verb",
  ],
  [/^\w+ of a service \|/, "is for all methods of the service, and may be meant for a method to come"],
];

const CASES: readonly RuleCase[] = Object.entries(CONTEXTS).flatMap(([kind, context]) => [
  ...Object.values({ ...SHARED, ...OF_METHODS })
    .flat()
    // The context already contains the tested rule.
    .filter((rule) => !(context.rules ?? "").startsWith(/^«(\w+:)/.exec(rule)?.[1] ?? "-"))
    .map((rule) => caseOfRule(`${kind} | ${rule}`, rule, (text) => sourceOf(context, text, ""))),
  ...(kind === "get" || kind === "post"
    ? Object.values(SHARED)
        .flat()
        .map((rule) =>
          caseOfRule(`${kind} of a service | ${rule}`, rule, (text) => sourceOf(context, "", text)),
        )
    : []),
]);

function fieldsOf(message: DescMessage, seen: ReadonlySet<DescMessage> = new Set()): string[] {
  if (seen.has(message) || message.file.proto.package !== "connectrest.v1") return [];
  const isRoot = message === MethodRulesSchema || message === ServiceRulesSchema;
  return message.fields.flatMap((field) => [
    isRoot ? field.name : `${message.name}.${field.name}`,
    ...(field.message === undefined ? [] : fieldsOf(field.message, new Set([...seen, message]))),
  ]);
}

test("every field of the rules of methods and services has a case", () => {
  const all = [MethodRulesSchema, ServiceRulesSchema].flatMap((each) => fieldsOf(each));
  expect(Object.keys({ ...SHARED, ...OF_METHODS }).sort()).toEqual([...new Set(all)].sort());
});

test("property: a rule of a method or a service changes the generated code, or is reported", () => {
  const cases = CASES.filter(({ name }) => !EXCEPTIONS.some(([rule]) => rule.test(name)));
  const silent = silentCases(cases);
  expect(silent).toEqual([]);
}, 300_000);

/** Request fields, and the messages of their types. */
const FIELDS: readonly string[] = [
  "string big_x = 1;",
  "int64 big_x = 1;",
  "bytes big_x = 1;",
  "bytes big_x = 1 [(connectrest.v1.field).bytes = BASE64URL];",
  "bytes big_x = 1 [(connectrest.v1.field).json_text = true];",
  "repeated bytes big_x = 1;",
  "google.protobuf.BytesValue big_x = 1;",
  "google.protobuf.Int64Value big_x = 1;",
  "google.protobuf.Timestamp big_x = 1;",
  "google.protobuf.Duration big_x = 1;",
  "map<string, string> big_x = 1 [(connectrest.v1.field).style = SPREAD];",
  "map<string, bytes> big_x = 1 [(connectrest.v1.field).style = SPREAD];",
  "map<string, string> big_x = 1;",
  "map<string, bytes> big_x = 1;",
  "map<string, int64> big_x = 1;",
  "Inner big_x = 1; } message Inner { bytes y = 1; int64 z = 2;",
  "repeated Inner big_x = 1; } message Inner { bytes y = 1; int64 z = 2;",
  "Inner big_x = 1 [(connectrest.v1.field).json_text = true]; } message Inner { bytes y = 1; int64 z = 2;",
  "google.protobuf.Struct big_x = 1;",
  'Union big_x = 1; } message Union { oneof o { option (connectrest.v1.oneof).layout = UNWRAPPED; string y = 1 [(connectrest.v1.field).when = {type: "string"}]; int64 z = 2 [(connectrest.v1.field).when = {type: "number"}]; }',
];

const NOTATIONS: readonly string[] = [
  ...Object.entries(SHARED).flatMap(([name, rules]) => (name.startsWith("Http.") ? rules : [])),
  "http: {nesting: BRACKETS «url_safe_base64_in_query: true»}",
  "json: {«integers: NUMBERS»}",
];

const REQUESTS: readonly string[] = [
  '{get: "/a"}',
  '{get: "/a/{big_x}"}',
  '{post: "/a" body: "*"}',
  '{post: "/a" body: "big_x"}',
];

test("property: a rule for the notation of requests changes the code, or is reported, for every type", () => {
  const cases = FIELDS.flatMap((field) =>
    REQUESTS.flatMap((http) =>
      NOTATIONS.map((rule) =>
        caseOfRule(
          `${http} | ${rule} | ${field}`,
          rule,
          (
            text,
          ) => `service S { rpc Get(Req) returns (Res) { option (google.api.http) = ${http}; option (connectrest.v1.method) = {${text}}; } }
message Res {}
message Req { ${field} }`,
        ),
      ),
    ),
  ).filter(({ name }) => !EXCEPTIONS.some(([rule]) => rule.test(name)));
  expect(silentCases(cases)).toEqual([]);
}, 300_000);
