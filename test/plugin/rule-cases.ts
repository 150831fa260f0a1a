/** Invalid rules of connectrest.v1, one for each kind of problem. */

import { GET, method, type ProblemCase, request, response } from "./case-sources.ts";

/** Rules of a method that has `get: "/a"`, each with its problem. */
const METHOD_RULES: ReadonlyArray<readonly [name: string, rule: string, ...problems: string[]]> = [
  [
    "error_status",
    "errors: {status: 1000, code: NOT_FOUND}",
    "4:39: error-status: an error rule of case.S.Get: expected a status from 100 to 599, or 0 for any, got 1000",
  ],
  [
    "error_condition",
    "errors: {code: NOT_FOUND}",
    "4:39: error-condition: an error rule of case.S.Get has no condition, so it would match every error; set status, subcode, subcode_text, header or body",
  ],
  [
    "error_meaning",
    "errors: {status: 404}",
    "4:39: error-meaning: an error rule of case.S.Get must set a code other than OK, or a reason; for a status that is no error, use success of the method",
  ],
  [
    "error_meaning_ok",
    'errors: {status: 404, code: OK, reason: "GONE_AWAY"}',
    "4:39: error-meaning: an error rule of case.S.Get must set a code other than OK, or a reason; for a status that is no error, use success of the method",
  ],
  ...(["X", "AB", "A".repeat(64)] as const).map(
    (reason) =>
      [
        `error_reason_${reason.length}`,
        `errors: {status: 404, reason: "${reason}"}`,
        `4:39: error-reason: the reason \`${reason}\` has ${reason.length} character${reason.length === 1 ? "" : "s"}; expected 3 to 63 (google.rpc.ErrorInfo)`,
      ] as const,
  ),
  [
    "listed_twice",
    'envelope: {payload: ["data", "data"]}',
    "4:50: listed-twice: payload of case.S.Get lists `data` twice; remove one",
  ],
  [
    "error_subcode",
    'errors: {subcode: 1, subcode_text: "one", code: NOT_FOUND}',
    "4:39: error-subcode: an error rule of case.S.Get sets both subcode 1 and subcode_text `one`; a response has only one of them",
  ],
  [
    "error_header_name",
    'errors: {header: {name: "a b"}, code: NOT_FOUND}',
    "4:39: header-name: the condition of an error rule of case.S.Get: `a b` is not a valid header name (RFC 9110 section 5.1); expected e.g. `X-Name`",
  ],
  [
    "error_body_condition",
    'errors: {body: {key: "ok"}, code: NOT_FOUND}',
    "4:39: when-empty: the condition of an error rule of case.S.Get is empty; set values, present or type",
  ],
  [
    "parameter_json",
    'parameters: [{name: "a", json: "tru"}, {name: "b", value: "x", json: "1"}]',
    '4:39: parameter-json: the constant parameter `a` of case.S.Get is not JSON: expected e.g. `true` or `"text"`, got `tru`',
    "4:39: parameter-json: the constant parameter `b` of case.S.Get has both a value and json",
  ],
  [
    "idempotency_key_name",
    'idempotency_key: "Content-Length"',
    "4:39: header-name: idempotency_key of case.S.Get: the header `Content-Length` belongs to the connection, and rules cannot set it",
    "4:39: no-effect: idempotency_key of case.S.Get has no effect: the method is idempotent without a key; remove it",
  ],
  [
    "error_body_shape",
    "error_bodies: [{oauth: true}, {}]",
    "4:39: error-body-shape: an entry of error_bodies of case.S.Get has no shape; set items, title_map, field_map, text, oauth or rpc_status",
  ],
  [
    "error_body_path",
    'error_bodies: {items: {path: "errors..items"}}',
    "4:39: dotted-path: an entry of error_bodies of case.S.Get: the path `errors..items` has an empty key; expected keys joined by dots: `a.b`, or `.` for the root",
  ],
  [
    "retry_after_header",
    "retry_after: {format: EPOCH}",
    '4:39: retry-after-header: a retry_after of case.S.Get names no header and no path; set e.g. header: "Retry-After"',
  ],
  [
    "retry_after_both",
    'retry_after: {header: "X-Wait", path: "error.wait"}',
    "4:39: retry-after-header: a retry_after of case.S.Get has both the header `X-Wait` and the path `error.wait`; write two rules, the first one first",
  ],
  [
    "retry_after_path",
    'retry_after: {path: "."}',
    "4:39: dotted-path: retry_after of case.S.Get: the path `.` is the root; expected the path of a key, e.g. `a.b`",
  ],
  [
    "error_items_field",
    'error_bodies: {items: {path: "errors", field: "a..b"}}',
    "4:39: dotted-path: the field of the error items of case.S.Get: the path `a..b` has an empty key; expected keys joined by dots: `a.b`",
  ],
  [
    "error_items_code",
    'error_bodies: {items: {path: "errors", title: "a..b", code: ".", detail: "c."}}',
    "4:39: dotted-path: the code of the error items of case.S.Get: the path `.` is the root; expected the path of a key, e.g. `a.b`",
    "4:39: dotted-path: the detail of the error items of case.S.Get: the path `c.` has an empty key; expected keys joined by dots: `a.b`",
    "4:39: dotted-path: the title of the error items of case.S.Get: the path `a..b` has an empty key; expected keys joined by dots: `a.b`",
  ],
  [
    "api_key_prefix",
    'credentials: API_KEY, api_key: {header: "X-Key", prefix: "Key\\r\\n "}',
    "4:88: rule-text: api_key.prefix of case.S.Get has the character U+000D at 4; expected printable ASCII on one line (RFC 9110 section 5.5)",
  ],
  [
    "error_field_map_path",
    'error_bodies: {field_map: ""}',
    "4:39: dotted-path: an entry of error_bodies of case.S.Get: the path `` has an empty key; expected keys joined by dots: `a.b`, or `.` for the root",
  ],
  [
    "error_metadata_path",
    'error_metadata: [{key: "id"}]',
    "4:39: dotted-path: error_metadata of case.S.Get: the path `` has an empty key; expected keys joined by dots: `a.b`",
  ],
  [
    "error_metadata_key",
    'error_metadata: [{path: "error.\'request id\'"}, {path: "a", key: "subcode"}, {path: "b.id"}, {path: "c.id"}]',
    "4:39: error-metadata-key: error_metadata of case.S.Get: the key `id` has two values; one of them would be lost",
    "4:39: error-metadata-key: error_metadata of case.S.Get: the key `request id` is none; expected up to 64 letters, digits, `_` and `-`, with a letter in front",
    "4:39: error-metadata-key: error_metadata of case.S.Get: the key `subcode` belongs to the runtime; set another `key`",
  ],
  [
    "credential_field",
    'credentials: OAUTH1_CLIENT, credential_fields: ["nam", "name"]',
    "4:67: credential-field: credential_fields of case.S.Get: case.Req.name is a secret; mark it with `redact`",
    "4:67: credential-field: credential_fields of case.S.Get: message case.Req has no field `nam`; did you mean `name`?",
  ],
  [
    "credential_fields_unused",
    'credential_fields: "name"',
    "4:39: credential-field: credential_fields of case.S.Get: case.Req.name is a secret; mark it with `redact`",
    "4:39: credential-fields-unused: credential_fields of case.S.Get: the method sends no other credentials, so that every rejection is about the caller's; remove them",
  ],
  [
    "retry_after_condition",
    'retry_after: {header: "X-Reset", when: {value: "0"}}',
    "4:39: header-name: the condition of retry_after of case.S.Get: `` is not a valid header name (RFC 9110 section 5.1); expected e.g. `X-Name`",
  ],
  [
    "header_name",
    'headers: [{name: "X-A", value: "a"}, {name: "Content-Length", value: "0"}]',
    "4:39: header-name: the header `Content-Length` belongs to the connection, and rules cannot set it",
  ],
  [
    "api_key_nowhere",
    'api_key: {prefix: "Key "}',
    "4:49: api-key-place: the api_key of case.S.Get has no place; set query or header",
    "4:49: no-effect: api_key of case.S.Get has no effect: the credentials do not include API_KEY; add it, or remove api_key",
  ],
  [
    "api_key_header",
    'api_key: {header: "Api Key"}',
    "4:49: header-name: the api_key of case.S.Get: `Api Key` is not a valid header name (RFC 9110 section 5.1); expected e.g. `X-Name`",
    "4:49: no-effect: api_key of case.S.Get has no effect: the credentials do not include API_KEY; add it, or remove api_key",
  ],
  [
    "credential_kind",
    "credentials: [NONE, KIND_UNSPECIFIED]",
    "4:39: credential-kind: the credentials of case.S.Get: expected a kind, e.g. NONE or OAUTH2, got KIND_UNSPECIFIED",
    "4:39: no-effect: KIND_UNSPECIFIED in credentials of case.S.Get has no effect: NONE, which is always available, comes before it; put NONE last",
  ],
  [
    "credential_twice",
    "credentials: [OAUTH2, NONE, OAUTH2]",
    "4:39: credential-twice: the credentials of case.S.Get list OAUTH2 twice; remove one",
  ],
  [
    "scopes_credentials",
    'scopes: "write"',
    "4:39: scopes-credentials: case.S.Get has scopes, but accepts no kind of credentials that supports scopes; add OAUTH1 or OAUTH2 to its credentials",
  ],
  [
    "scopes_empty_credentials",
    'scopes: "write", credentials: [NONE, OAUTH1_CLIENT]',
    "4:39: scopes-credentials: case.S.Get has scopes, but accepts no kind of credentials that supports scopes; add OAUTH1 or OAUTH2 to its credentials",
    "4:56: no-effect: OAUTH1_CLIENT in credentials of case.S.Get has no effect: NONE, which is always available, comes before it; put NONE last",
  ],
  [
    "scope_syntax",
    'scopes: "read write", credentials: OAUTH2',
    "4:39: scope-syntax: `read write` is not a valid scope of case.S.Get (RFC 6749 section 3.3); expected one word; list each scope separately",
  ],
  [
    "timeout_range",
    "timeout: {seconds: 0}",
    "4:49: timeout-range: the timeout of case.S.Get: expected more than 0 and at most 2147483647 ms, got 0 ms",
  ],
  [
    "timeout_too_long",
    "timeout: {seconds: 2147484}",
    "4:49: timeout-range: the timeout of case.S.Get: expected more than 0 and at most 2147483647 ms, got 2147484000 ms",
  ],
  [
    "idempotent_key",
    'idempotent: false, idempotency_key: "Key"',
    "4:39: idempotent-conflict: idempotent of case.S.Get is false, which a key is meant to change; remove idempotent or idempotency_key",
  ],
  [
    "idempotent_no_key",
    'idempotent: true, idempotency_key: "Key"',
    "4:39: idempotent-conflict: idempotent of case.S.Get is true, so no key is sent; remove idempotent or idempotency_key",
  ],
  [
    "rate_limit_when_empty",
    'rate_limits: {requests: 1, window: {seconds: 1}, when: {key: "name"}}',
    "4:39: when-empty: the condition of a rate limit of case.S.Get is empty; set values or present",
  ],
  [
    "rate_limit_when_key",
    "rate_limits: {requests: 1, window: {seconds: 1}, when: {present: true}}",
    "4:39: when-key: the condition of a rate limit of case.S.Get has no key; set it to the path of a field of the request",
  ],
  [
    "rate_limit_when_field",
    'rate_limits: {requests: 1, window: {seconds: 1}, when: {key: "nmae", present: true}}',
    "4:39: when-request: the condition of a rate limit of case.S.Get cannot be checked: message case.Req has no field `nmae`; did you mean `name`?",
  ],
  [
    "rate_limit_when_type",
    'rate_limits: {requests: 1, window: {seconds: 1}, when: {key: "name", type: "string"}}',
    "4:39: when-request: the condition of a rate limit of case.S.Get has a JSON type, which fields of a request do not have; remove type",
  ],
  [
    "rate_limit_when_never",
    'rate_limits: {requests: 1, window: {seconds: 1}, when: {key: "name", present: false, values: "a"}}',
    "4:39: when-request: the condition of a rate limit of case.S.Get never holds: an absent field has no value; remove present or values",
  ],
  [
    "json_part",
    'json_part: "json"',
    "4:39: json-part: json_part of case.S.Get needs request_encoding: MULTIPART or MULTIPART_WHEN_PARTS",
  ],
  [
    "success_status",
    "success: [304, 99]",
    "4:39: success-status: success of case.S.Get: expected a status from 300 to 599, got 99",
  ],
  [
    "parameter_name",
    'parameters: {value: "1"}',
    "4:39: parameter-name: a constant parameter of case.S.Get has no name",
  ],
  [
    "rate_limit_requests",
    "rate_limits: {window: {seconds: 1}}",
    "4:39: rate-limit-requests: a rate limit of case.S.Get: expected 1 request or more, got 0",
  ],
  [
    "rate_limit_window",
    "rate_limits: {requests: 5}",
    '4:39: rate-limit-window: a rate limit of case.S.Get has no window; set e.g. window: {seconds: 60} or calendar_day: "UTC"',
  ],
  [
    "rate_limit_two_windows",
    'rate_limits: {requests: 5, window: {seconds: 1}, calendar_day: "UTC"}',
    "4:39: rate-limit-window: a rate limit of case.S.Get sets both window and calendar_day; keep one",
  ],
  [
    "rate_limit_zone",
    'rate_limits: {requests: 5, calendar_day: "Mars/Olympus"}',
    "4:39: rate-limit-zone: a rate limit of case.S.Get: expected a time zone, e.g. `UTC` or `America/New_York`, got `Mars/Olympus`",
  ],
  [
    "dotted_path",
    'envelope: {payload: [".", "response."], status: "."}',
    "4:50: dotted-path: the envelope: the path `response.` has an empty key; expected keys joined by dots: `a.b`, or `.` for the root",
    "4:79: dotted-path: the envelope: the path `.` is the root; expected the path of a key, e.g. `a.b`",
  ],
  [
    "envelope_known",
    'envelope: {payload: ".", known: ["a", "b."]}',
    "4:64: dotted-path: the envelope: the path `b.` has an empty key; expected keys joined by dots: `a.b`",
  ],
];

/** Rules of a stream, each with its problem. */
const STREAM_RULES: ReadonlyArray<readonly [name: string, rule: string, ...problems: string[]]> = [
  [
    "paginate_pages",
    'paginate: {items: "x", link: "next", max_pages: -1}',
    "4:76: paginate-pages: paginate of case.S.Get: expected max_pages to be 1 page or more, or 0 for the default, got -1",
  ],
  [
    "paginate_empty_pages",
    'paginate: {items: "x", link: "next", max_empty_pages: -1}',
    "4:76: paginate-pages: paginate of case.S.Get: expected max_empty_pages to be 1 page or more, or 0 for the default, got -1",
  ],
  [
    "paginate_link_always",
    'paginate: {items: ".", link_header: "next", link_always: true}',
    "4:83: paginate-link-query: paginate of case.S.Get: link_always requires link, which is not set",
  ],
  [
    "paginate_overlap_cursor",
    'paginate: {items: "x", cursor: {path: "next", field: "name", overlap: {key: "id"}}}',
    "4:110: paginate-overlap: paginate: the overlap belongs to `last_item`: a cursor of the response is unique",
  ],
  [
    "paginate_overlap_key",
    'paginate: {items: ".", last_item: {path: "at", field: "name", overlap: {}}}',
    '4:74: paginate-overlap: paginate: the overlap needs a key that identifies an item, e.g. key: "id"',
  ],
  [
    "paginate_overlap_field",
    'paginate: {items: ".", last_item: {path: "at", field: "name", overlap: {key: "id"}}}',
    "4:111: paginate-overlap: paginate: the overlap needs a field that is an integer, or a Timestamp with a `unit`; `name` is neither",
  ],
  [
    "paginate_overlap_size",
    'paginate: {items: ".", last_item: {path: "at", field: "name", overlap: {key: "id", default_size: -1}}}',
    "4:122: paginate-overlap: paginate: the overlap has a default_size of 1 item or more, or 0 where it is unknown, got -1",
  ],
  [
    "paginate_known",
    'paginate: {items: "x", link: "next", known: ["a", "b."]}',
    "4:76: dotted-path: paginate of case.S.Get: the path `b.` has an empty key; expected keys joined by dots: `a.b`",
  ],
  [
    "paginate_path",
    'paginate: {items: "a..b", cursor: {path: ".", field: "name"}}',
    "4:50: dotted-path: paginate of case.S.Get: the path `a..b` has an empty key; expected keys joined by dots: `a.b`, or `.` for the root",
    "4:74: dotted-path: paginate of case.S.Get: the path `.` is the root; expected the path of a key, e.g. `a.b`",
  ],
  [
    "paginate_cursor_paths",
    'paginate: {items: ".", last_item: {path: "a", path: "b..c", path: "", field: "name"}}',
    "4:85: dotted-path: paginate of case.S.Get: the path `b..c` has an empty key; expected keys joined by dots: `a.b`",
    "4:99: dotted-path: paginate of case.S.Get: the path `` has an empty key; expected keys joined by dots: `a.b`",
  ],
  [
    "paginate_link_query",
    'paginate: {items: "x", link_header: "next", link_query: "links.query"}',
    "4:83: paginate-link-query: paginate of case.S.Get: link_query requires link, which is not set",
  ],
  [
    "paginate_cursor_bool",
    'paginate: {items: "x", cursor: {path: "next", field: "more"}}',
    "4:85: paginate-cursor: the field `more` takes no cursor; use a string, an integer or a Timestamp",
  ],
  [
    "poll_interval",
    'poll: {items: ".", key: "id", interval: {seconds: -1}}',
    "4:80: poll-interval: poll of case.S.Get: expected an interval of 1 s to 86400 s, got -1 s",
  ],
  [
    "poll_interval_short",
    'poll: {items: ".", key: "id", interval: {nanos: 1000}}',
    "4:80: poll-interval: poll of case.S.Get: expected an interval of 1 s to 86400 s, got 0.000001 s",
  ],
  [
    "poll_interval_long",
    'poll: {items: ".", key: "id", interval: {seconds: 86401}}',
    "4:80: poll-interval: poll of case.S.Get: expected an interval of 1 s to 86400 s, got 86401 s",
  ],
  [
    "paginate_count",
    'paginate: {items: "x", link: "next", total: "total"}',
    "4:76: paginate-count: paginate of case.S.Get: total and first count items or pages; set offset or page",
  ],
  [
    "paginate_empty",
    'paginate: {items: "x", link: "next", empty: [NULL, NULL]}',
    "4:76: empty-spelling: paginate of case.S.Get: `empty` names NULL twice",
  ],
  [
    "paginate_empty_body",
    'paginate: {items: "x", link: "next", empty: EMPTY_BODY}',
    "4:76: empty-spelling: paginate of case.S.Get: a page has a body; EMPTY_BODY belongs to `empty` of the envelope",
  ],
  [
    "envelope_empty",
    'envelope: {payload: "a", empty: SPELLING_UNSPECIFIED}, paginate: {items: "x", link: "next"}',
    "4:64: empty-spelling: the envelope: `empty` has a spelling that says nothing; name one, e.g. EMPTY_ARRAY",
  ],
  [
    "paginate_more",
    'paginate: {items: "x", link: "next", more: {key: "a"}}',
    "4:83: when-empty: the condition `more` of paginate of case.S.Get is empty; set values, present or type",
  ],
  [
    "paginate_cursor_header",
    'paginate: {items: "x", cursor: {header: "X Next", field: "name"}}',
    "4:71: header-name: paginate of case.S.Get: `X Next` is not a valid header name (RFC 9110 section 5.1); expected e.g. `X-Name`",
  ],
  [
    "paginate_cursor_deep",
    'paginate: {items: "x", cursor: {path: "next", field: "name.after"}}',
    "4:85: stream-field: paginate: `name` is not a message, so it has no field `after`",
  ],
  [
    "paginate_quoted_path",
    'paginate: {items: "x", link: "a\'b\'"}',
    "4:62: dotted-path: paginate of case.S.Get: the path `a'b'` has a quote that is not around a whole key; expected e.g. `a.'b.c'`",
  ],
  [
    "records_keys",
    'records: {event: "event", data: "data"}',
    "4:49: records-keys: records of case.S.Get: lines have no event, data; set format: EVENT_STREAM, or remove these keys",
  ],
  [
    "records_keys_array",
    'records: {format: ARRAY, id: "id"}',
    "4:49: records-keys: records of case.S.Get: items of an array have no id; set format: EVENT_STREAM, or remove these keys",
  ],
  [
    "records_keys_twice",
    'records: {format: EVENT_STREAM, event: "x", data: "x"}',
    "4:49: records-keys: records of case.S.Get: the key `x` of the data is already in use; use another",
  ],
  [
    "records_end",
    'records: {end: " "}',
    "4:49: records-end: records of case.S.Get: an empty text cannot end a stream",
  ],
  [
    "records_end_array",
    'records: {format: ARRAY, end: "[DONE]"}',
    "4:64: records-end: records of case.S.Get: an array ends itself; remove end, or set format: LINES or EVENT_STREAM",
  ],
  [
    "records_last",
    'records: {last: {values: "x"}}',
    "4:56: when-key: the condition `last` of the records of case.S.Get has no key; set key",
  ],
  [
    "records_idle",
    "records: {idle: {}}",
    "4:12: records-idle: records of case.S.Get: expected a pause of more than 0 s, got 0 s",
  ],
  [
    "poll_header",
    'poll: {items: ".", key: "id", interval_header: "X Interval"}',
    "4:69: header-name: poll of case.S.Get: `X Interval` is not a valid header name (RFC 9110 section 5.1); expected e.g. `X-Name`",
  ],
];

/**
 * Rules of a stream, each with the fields of the stream's items. Another method of the service returns the
 * stream's pages.
 */
const PLACE_RULES: ReadonlyArray<
  readonly [name: string, rule: string, members: string, ...problems: readonly string[]]
> = [
  [
    "undeclared_poll",
    'poll: {items: "entires", key: "idd"}',
    "string id = 1;",
    "4:46: undeclared-key: poll of case.S.Get: no field of case.ListRes reads `entires`; did you mean `entries`? If the upstream has such a key, write it in quotes: `'entires'`",
    "4:64: undeclared-key: poll of case.S.Get: no field of case.Res reads `idd`; did you mean `id`? If the upstream has such a key, write it in quotes: `'idd'`",
  ],
  [
    "undeclared_overlap",
    'paginate: {items: "entries", last_item: {path: "tmie", field: "since", overlap: {key: "uuid"}}}',
    "string id = 1; int64 time = 2;",
    "4:80: undeclared-key: last_item of case.S.Get: no field of case.Res reads `tmie`; did you mean `time`? If the upstream has such a key, write it in quotes: `'tmie'`",
    "4:120: undeclared-key: overlap of case.S.Get: no field of case.Res reads `uuid`; did you mean `id`? If the upstream has such a key, write it in quotes: `'uuid'`",
  ],
  [
    "undeclared_page",
    'paginate: {items: "entries", cursor: {path: "next_tokn", field: "since"}, known: "extra"}',
    "",
    "4:77: undeclared-key: paginate of case.S.Get: no field of case.ListRes reads `next_tokn`; did you mean `next_token`? If the upstream has such a key, write it in quotes: `'next_tokn'`",
  ],
  [
    "paginate_in_items",
    'paginate: {items: "entries", cursor: {path: "entries.next_token", field: "since"}}',
    "",
    "4:77: paginate-in-items: paginate of case.S.Get: `entries.next_token` lies in the items at `entries`; name a value beside the items, or use last_item for a value of the last item",
  ],
  [
    "undeclared_records",
    'records: {format: EVENT_STREAM, event: "kind", data: "dat", last: {key: "dta.x", present: true}}',
    "Res data = 1;",
    "4:71: undeclared-key: `event` of records of case.S.Get: no field of case.Res reads the key `kind`; declare one, or remove `event`",
    "4:86: undeclared-key: `data` of records of case.S.Get: no field of case.Res reads the key `dat`; did you mean `data`?; declare one, or remove `data`",
    "4:106: undeclared-key: `last` of records of case.S.Get: no field of case.Res reads `dta` in `dta.x`; did you mean `data`? If the upstream has such a key, write it in quotes: `'dta'`",
  ],
  [
    "undeclared_deep",
    'poll: {items: ".", key: "inner.nmae"}',
    "Inner inner = 1; message Inner { string name = 1; }",
    "4:58: undeclared-key: poll of case.S.Get: no field of case.Res reads `nmae` in `inner.nmae`; did you mean `name`? If the upstream has such a key, write it in quotes: `'nmae'`",
  ],
  [
    "cursor_notation",
    'paginate: {items: "entries", last_item: {path: "time", field: "before", overlap: {key: "id"}}}',
    "string id = 1; google.protobuf.Timestamp time = 2;",
    "4:80: cursor-notation: last_item of case.S.Get: case.Res.time is written as ISO_8601, and case.Req.before takes MILLIS; name another value of the item, or correct `time` of either field",
  ],
  [
    "cursor_notation_units",
    'paginate: {items: "entries", last_item: {path: "time", field: "before"}}',
    "google.protobuf.Timestamp time = 2 [(connectrest.v1.field).time.unit = SECONDS];",
    "4:80: cursor-notation: last_item of case.S.Get: case.Res.time is written as SECONDS, and case.Req.before takes MILLIS; name another value of the item, or correct `time` of either field",
  ],
  [
    "cursor_notation_integer",
    'paginate: {items: "entries", last_item: {path: "time", field: "since"}}',
    "google.protobuf.Timestamp time = 2;",
    "4:80: cursor-notation: last_item of case.S.Get: case.Res.time is written as ISO_8601, and case.Req.since takes an integer; name another value of the item, or correct `time` of either field",
  ],
];

const field = (type: string, rules: string) =>
  response(`${type} x = 1 [(connectrest.v1.field) = {${rules}}];`);

const oneof = (members: string, rules = 'discriminator: "type"') =>
  response(`oneof o {
    option (connectrest.v1.oneof) = {${rules}};
    ${members}
  }`);

/** `case.` is replaced by the package. Line numbers start at the first line of the source. */
export const RULE_CASES: readonly ProblemCase[] = [
  {
    name: "time_duration",
    source: field("google.protobuf.Duration", "time: {unit: HTTP_DATE}"),
    problems: [
      "4:68: time-duration: case.Res.x is a Duration, and HTTP_DATE writes a point in time; use SECONDS, MILLIS, MICROS, NANOS or ISO_8601, or remove `time` for `3.5s`",
    ],
  },
  {
    name: "time_duration_none",
    source: field("google.protobuf.Duration", 'time: {unit: SECONDS, none: "0", rounding: UP}'),
    problems: [
      "4:83: time-duration: case.Res.x is a Duration, and `none` is for Timestamps; for words of a response that stand for no value set `absent` of the field",
      "4:94: time-duration: case.Res.x is a Duration, and `rounding` is for Timestamps; a Duration is sent with its fraction: remove `rounding`, and for whole units use an integer field",
    ],
  },
  {
    name: "member_keys",
    source: oneof("google.protobuf.Timestamp a = 1; string b = 2;"),
    problems: [
      "5:12: member-keys: case.Res.a is a google.protobuf.Timestamp, which has no keys that could be next to the discriminator; set layout: NESTED or BESIDE, or put it into a message",
    ],
  },
  ...METHOD_RULES.map(([name, rule, ...problems]) => ({
    name,
    source: method('get: "/a"', `option (connectrest.v1.method) = {${rule}};`),
    problems,
  })),
  ...STREAM_RULES.map(([name, rule, ...problems]) => ({
    name,
    source: `service S {
  rpc Get(Req) returns (stream Res) {
    option (google.api.http) = {get: "/a"};
    option (connectrest.v1.method) = {${rule}};
  }
}
message Req { string name = 1; bool more = 2; }
message Res { string id = 1; string x = 2; }`,
    problems,
  })),
  ...PLACE_RULES.map(([name, rule, members, ...problems]) => ({
    name,
    source: `service S {
  rpc Get(Req) returns (stream Res) {
    option (google.api.http) = {get: "/a"};
    option (connectrest.v1.method) = {${rule}};
  }
  rpc List(Req) returns (ListRes) { option (google.api.http) = {get: "/a"}; }
}
message Req { int64 since = 1; google.protobuf.Timestamp before = 2 [(connectrest.v1.field).time.unit = MILLIS]; }
message Res { ${members} }
message ListRes { repeated Res entries = 1; string next_token = 2; }`,
    problems,
  })),
  {
    name: "key_index",
    source: oneof("Inner a = 1; Inner b = 2;", 'discriminator: "kinds.0"').replace(
      "message Res {",
      'message Inner { string n = 1; }\nmessage Res { double x = 8 [(connectrest.v1.field).name = "coords[0]"]; double y = 9 [(connectrest.v1.field).from = {path: "coords[1]"}]; double z = 10 [(connectrest.v1.field).from = {path: "2"}];',
    ),
    problems: [
      '4:29: key-index: case.Res.x: `coords[0]` is a key, and no path: it reads no item of a list; write from: {path: "coords.0"}',
      "4:87: dotted-path: a source of case.Res.y: the path `coords[1]` has an index in brackets, which is a step of its own: write `coords.1`; a key with brackets stands in quotes",
      "4:154: dotted-path: a source of case.Res.z: the path `2` begins with an index, but a message is read from an object; for a message that is an array, set `option (connectrest.v1.message).tuple = true`, or put the fields into the message that has it: `list.2`; put a key that consists of digits in quotes",
      '6:38: key-index: discriminator of the oneof case.Res.o: `kinds.0` is a key, and no path: it reads no item of a list; use conditions: `when: {key: "kinds.0"}`',
    ],
  },
  {
    name: "near_keys",
    source: oneof(
      'Inner a = 1 [(connectrest.v1.field).when = {key: "knid", values: "a"}]; Inner b = 2;',
      'discriminator: "kindd"',
    ).replace(
      "message Res {",
      'message Inner { string n = 1; }\nmessage Res { string kind = 8; string city = 9 [(connectrest.v1.field).from = {path: "adress.city"}]; string zip = 10 [(connectrest.v1.field).from = {path: "address.zip"}];',
    ),
    problems: [
      "4:49: undeclared-key: a source of case.Res.city: no other field reads `adress` in `adress.city`; did you mean `address`? If the upstream has such a key, write it in quotes: `'adress'`",
      "4:120: undeclared-key: a source of case.Res.zip: no other field reads `address` in `address.zip`; did you mean `adress`? If the upstream has such a key, write it in quotes: `'address'`",
      "6:38: undeclared-key: discriminator of the oneof case.Res.o: no field of case.Res reads `kindd`; did you mean `kind`? If the upstream has both keys, declare a field for `kindd` too",
      "7:18: undeclared-key: the condition of case.Res.a: no other field reads `knid` in `knid`; did you mean `kind`? If the upstream has such a key, write it in quotes: `'knid'`",
    ],
  },
  {
    name: "stream_text",
    source: `service S {
  rpc Put(stream Req) returns (Res) {
    option (google.api.http) = {post: "/a"};
    option (connectrest.v1.method) = {upload: {chunk: "data", content_type: "size"}};
  }
}
message Req { bytes data = 1; int32 size = 2; }
message Res {}`,
    problems: ["4:63: stream-text: upload of case.S.Put: `size` must be a field of type string"],
  },
  {
    name: "binding_nested",
    source: method('get: "/a/{name}" additional_bindings: {get: "/b" additional_bindings: {get: "/c"}}'),
    problems: [
      "3:50: binding-nested: binding 2 of case.S.Get has additional bindings of its own, which google/api/http.proto does not allow; move them one level up",
    ],
  },
  {
    name: "binding_path",
    source: method('get: "/a/{name}" additional_bindings: {get: "/{nam}"}'),
    problems: [
      "3:50: path-field: the path variable `nam`: message case.Req has no field `nam`; did you mean `name`?",
    ],
  },
  {
    name: "binding_path_second",
    source: method(`get: "/a/{name}"
      additional_bindings: {get: "/{nam}"}
      additional_bindings: {get: "a"}
      additional_bindings: [
        {get: "/b"},
        {post: "/{nam}"}
      ]`),
    problems: [
      "4:7: path-field: the path variable `nam`: message case.Req has no field `nam`; did you mean `name`?",
      "5:7: path-syntax: the path `a` is invalid at character 1: a path must start with `/`",
      "6:7: path-field: the path variable `nam`: message case.Req has no field `nam`; did you mean `name`?",
    ],
  },
  {
    name: "rules_of_service",
    source: `service S {
  option (connectrest.v1.service) = {
    headers: {name: "X A", value: "1"}
    errors: {status: 404, reason: "nope"}
    credentials: API_KEY
  };
  rpc Get(Req) returns (Res) { option (google.api.http) = {get: "/a"}; }
  rpc List(Req) returns (Res) { option (google.api.http) = {get: "/b"}; }
}
message Req {}
message Res {}`,
    problems: [
      '3:5: header: "X A: 1" is not a valid header (RFC 9110 section 5)',
      "4:5: error-reason: the reason `nope` must be UPPER_SNAKE_CASE (google.rpc.ErrorInfo)",
      '5:5: api-key-place: case.S accepts an API key, but no rule says where to send it; add `api_key { query: "…" }` or `api_key { header: "…" }`',
    ],
  },
  {
    name: "name_twice",
    source: request(`string a = 1;
  string b = 2 [(connectrest.v1.field).name = "a"];`),
    problems: [
      "5:17: name-twice: case.Req.b and case.Req.a are both named `a` in the query of case.S.Get; give one of them another name",
    ],
  },
  {
    name: "name_twice_header",
    source: request(`string a = 1 [(connectrest.v1.field) = {in: HEADER, name: "X-A"}];
  string b = 2 [(connectrest.v1.field) = {in: HEADER, name: "x-a"}];`),
    problems: [
      "5:55: name-twice: case.Req.b and case.Req.a are both named `x-a` in the headers of case.S.Get; give one of them another name",
    ],
  },
  {
    name: "name_twice_constant",
    source: method(
      'post: "/a" body: "*"',
      'option (connectrest.v1.method).parameters = {name: "name", value: "x"};',
    ),
    problems: [
      "7:15: name-twice: case.Req.name and a constant parameter are both named `name` in the body of case.S.Get; give one of them another name",
    ],
  },
  {
    name: "name_twice_api_key",
    source: method(
      'get: "/a"',
      'option (connectrest.v1.method) = {credentials: API_KEY, api_key: {query: "name"}};',
    ),
    problems: [
      "7:15: name-twice: case.Req.name and the API key are both named `name` in the query of case.S.Get; give one of them another name",
    ],
  },
  {
    name: "header_field_name",
    source: request('string a = 1 [(connectrest.v1.field) = {in: HEADER, name: "Transfer-Encoding"}];'),
    problems: [
      "4:55: header-name: case.Req.a: the header `Transfer-Encoding` belongs to the connection, and rules cannot set it",
    ],
  },
  {
    name: "cookie_name",
    source: request('string a = 1 [(connectrest.v1.field) = {in: COOKIE, name: "a;b"}];'),
    problems: ["4:55: cookie-name: case.Req.a: `a;b` is not a valid cookie name (RFC 6265 section 4.1.1)"],
  },
  {
    name: "alias_twice",
    source: field("string", 'aliases: ["y", "x", "y"]'),
    problems: [
      "4:43: alias-twice: the alias `x` of case.Res.x is already a name of the field",
      "4:43: alias-twice: the alias `y` of case.Res.x is already a name of the field",
    ],
  },
  {
    name: "when_never",
    source: response(`oneof o {
    string a = 1 [(connectrest.v1.field).when = {key: "k", type: "array", values: "x"}];
    string b = 2 [(connectrest.v1.field).when = {key: "k", type: "boolean", values: "yes"}];
    string c = 3 [(connectrest.v1.field).when = {key: "k", present: false, type: "string"}];
    string d = 4 [(connectrest.v1.field).when = {key: "l", present: true}];
    string e = 5 [(connectrest.v1.field).when = {key: "l", values: "x"}];
  }
  string l = 6;`),
    problems: [
      "5:19: when-never: the condition of case.Res.a can never hold: values are strings, numbers and booleans, and the type is `array`; remove values or type",
      "6:19: when-never: the condition of case.Res.b can never hold: no boolean is written `yes`; correct values or type",
      "7:19: when-never: the condition of case.Res.c can never hold: an absent key has no value; remove present, or values and type",
      "9:19: when-never: the condition of case.Res.e can never hold: the condition of `d` also holds then, and is tried first; declare `e` before `d`, or correct a condition",
    ],
  },
  {
    name: "style_spread_list",
    source: field("repeated string", "style: SPREAD"),
    problems: [
      "4:52: style-type: SPREAD is for maps; case.Res.x is repeated: use REPEAT, BRACKETS, INDEXED or COMMA",
    ],
  },
  {
    name: "style_comma_map",
    source: field("map<string, string>", "style: COMMA"),
    problems: ["4:56: style-type: COMMA is for repeated fields; case.Res.x is a map: use SPREAD"],
  },
  {
    name: "time_format_unit",
    source: field("google.protobuf.Timestamp", 'time: {unit: MILLIS, format: "YYYY"}'),
    problems: ["4:83: time-format: case.Res.x has a format, but its unit is MILLIS; set unit: FORMAT"],
  },
  {
    name: "number_type",
    source: field("int32", "number: true"),
    problems: ["4:42: number-type: `number` requires a 64-bit integer; case.Res.x is not one"],
  },
  {
    name: "bytes_type",
    source: field("string", "bytes: BASE64URL"),
    problems: ["4:43: bytes-type: `bytes` requires a field of type bytes; case.Res.x is not one"],
  },
  {
    name: "piece_type",
    source: field("int32", "piece: FILENAME"),
    problems: ["4:42: piece-type: case.Res.x is the FILENAME of a part, which must be a string"],
  },
  {
    name: "piece_content",
    source: field("int32", "piece: CONTENT"),
    problems: ["4:42: piece-type: case.Res.x is the CONTENT of a part, which must be bytes or a string"],
  },
  {
    name: "from_rel",
    source: field("string", 'from: {path: "next", rel: "next"}'),
    problems: [
      "4:43: from-rel: a source of case.Res.x: `rel` selects an address from a `Link` header (RFC 8288), so `header` must be set too",
    ],
  },
  {
    name: "from_header",
    source: field("string", 'from: [{header: "Link"}, {header: "X Y"}]'),
    problems: [
      "4:43: header-name: a source of case.Res.x: `X Y` is not a valid header name (RFC 9110 section 5.1); expected e.g. `X-Name`",
    ],
  },
  {
    name: "from_path",
    source: field("string", 'from: {path: ".next"}'),
    problems: [
      "4:43: dotted-path: a source of case.Res.x: the path `.next` has an empty key; expected keys joined by dots: `a.b`",
    ],
  },
  {
    name: "from_root",
    source: field("string", 'from: {path: "."}'),
    problems: [
      "4:43: dotted-path: a source of case.Res.x: the path `.` is the root; expected the path of a key, e.g. `a.b`; for all of the payload in one field, name it in response_body of google.api.http",
    ],
  },
  {
    name: "from_status",
    source: field("bool", "from: {status: 0}"),
    problems: [
      "4:41: from-status: a source of case.Res.x: expected a status from 200 to 599 to compare with, got 0",
    ],
  },
  {
    name: "from_status_text",
    source: field("string", "from: {status: 200}"),
    problems: [
      "4:43: from-status: a source of case.Res.x: a status needs an integer field, or a bool field that compares it",
    ],
  },
  {
    name: "when_member",
    source: field("string", 'when: {values: "a"}'),
    problems: ["4:43: when-member: `when` requires a member of a oneof; case.Res.x is not in one"],
  },
  {
    name: "unknown_member",
    source: response("oneof o { google.protobuf.Struct s = 1 [(connectrest.v1.field).unknown = true]; }"),
    problems: [
      "4:43: unknown-member: case.Res.s is a member of the oneof `o`, which any unknown key would select; move it out of the oneof",
    ],
  },
  {
    name: "when_unread",
    source: response(
      `oneof o {
    Image image = 1 [(connectrest.v1.field).when = {key: "image", type: "object"}];
    Text text = 2 [(connectrest.v1.field).when = {key: "title", present: true}];
  }`,
      `message Image { string url = 1; }
message Text { string body = 1; }`,
    ),
    problems: [
      "5:22: when-unread: the condition of case.Res.image tests `image`, which neither the member nor another field of case.Res reads, so that its value would be lost; set layout: NESTED, so that the member is read from its own key",
      "6:20: when-unread: the condition of case.Res.text tests `title`, which neither the member nor another field of case.Res reads, so that its value would be lost; declare a field for `title`",
    ],
  },
  {
    name: "when_empty",
    source: oneof('Req a = 1 [(connectrest.v1.field).when = {key: "kind"}];'),
    problems: [
      "5:38: no-effect: discriminator of the oneof case.Res.o has no effect: every member has conditions on other keys; remove it, or the keys of the conditions",
      "6:16: when-empty: the condition of case.Res.a is empty; set values, present or type",
    ],
  },
  {
    name: "when_key",
    source: response('oneof o { Req a = 1 [(connectrest.v1.field).when = {values: "a"}]; }'),
    problems: ["4:24: when-key: the condition of case.Res.a has no key; set key"],
  },
  {
    name: "when_type",
    source: oneof('Req a = 1 [(connectrest.v1.field).when = {key: "a", type: "strng"}];'),
    problems: [
      "5:38: no-effect: discriminator of the oneof case.Res.o has no effect: every member has conditions on other keys; remove it, or the keys of the conditions",
      "6:16: when-type: the condition of case.Res.a has an unknown JSON type: expected string, number, boolean, object, array, got `strng`; did you mean `string`?",
    ],
  },
  {
    name: "when_path",
    source: oneof('Req a = 1 [(connectrest.v1.field).when = {key: "a.", present: true}];'),
    problems: [
      "5:38: no-effect: discriminator of the oneof case.Res.o has no effect: every member has conditions on other keys; remove it, or the keys of the conditions",
      "6:16: dotted-path: the condition of case.Res.a cannot be checked: the path `a.` has an empty key; expected keys joined by dots: `a.b`",
    ],
  },
  {
    name: "when_twice_by_name",
    source: oneof('Req a = 1; Req b = 2 [(connectrest.v1.field).when = {values: ["x", "a"]}];'),
    problems: ["6:27: when-twice: `a` already selects `a` in the oneof case.Res.o"],
  },
  {
    name: "unwrapped_alone",
    source: response(
      "Inner i = 1;",
      `message Inner {
  string id = 1;
  oneof o {
    option (connectrest.v1.oneof) = {layout: UNWRAPPED, discriminator: "type"};
    Req a = 2 [(connectrest.v1.field).when = {type: "object"}];
  }
}`,
    ),
    problems: [
      "9:38: unwrapped-alone: the oneof case.Inner.o has the layout UNWRAPPED, so its member stands in place of the message, which has no room for `id`; move it, or use another layout",
      "9:57: no-effect: discriminator of the oneof case.Inner.o has no effect: the layout UNWRAPPED goes by JSON types; remove it",
    ],
  },
  {
    name: "unwrapped_type",
    source: response(
      "Inner i = 1;",
      `message Inner {
  oneof o {
    option (connectrest.v1.oneof).layout = UNWRAPPED;
    Req a = 1 [(connectrest.v1.field).when = {type: "object"}];
    Req b = 2 [(connectrest.v1.field).when = {type: "object"}];
    Req c = 3 [(connectrest.v1.field).when = {type: "array"}];
    string d = 4;
    string e = 5 [(connectrest.v1.field).when = {key: "x", type: "string"}];
    bool f = 6 [(connectrest.v1.field).when = {type: "number"}];
  }
}`,
    ),
    problems: [
      "10:16: unwrapped-type: `object` already selects `a`; remove it from case.Inner.b",
      "11:16: unwrapped-type: case.Inner.c is no array in JSON; expected object",
      '12:5: unwrapped-type: case.Inner.d needs a JSON type; add e.g. when: {type: "object"}',
      '13:19: unwrapped-type: the condition of case.Inner.e may name a type and nothing else, e.g. when: {type: "object"}',
      "14:17: unwrapped-type: case.Inner.f is no number in JSON; expected boolean",
    ],
  },
  {
    name: "unwrapped_request",
    source: `service S { ${GET} }
message Res {}
message Req {
  oneof o {
    option (connectrest.v1.oneof).layout = UNWRAPPED;
    Res a = 1 [(connectrest.v1.field).when = {type: "object"}];
  }
}`,
    problems: [
      "5:5: unwrapped-request: the oneof case.Req.o has the layout UNWRAPPED, but case.Req is the request of case.S.Get, whose fields have places of their own; move the oneof to a message, and name the field of that message as the body",
    ],
  },
  {
    name: "unwrapped_query",
    source: request(
      "Inner i = 1;",
      `message Inner {
  oneof o {
    option (connectrest.v1.oneof).layout = UNWRAPPED;
    Res a = 1 [(connectrest.v1.field).when = {type: "object"}];
  }
}`,
    ),
    problems: [
      "8:5: query-oneof: the oneof `i.o` is chosen by JSON types, which a query parameter of case.S.Get cannot carry below a message; use a body, or http: {nesting: BRACKETS}",
    ],
  },
  {
    name: "unwrapped_brackets",
    source: `${method('get: "/a"', "option (connectrest.v1.method).http = {nesting: BRACKETS};", "Inner i = 1;")}
message Inner {
  oneof o {
    option (connectrest.v1.oneof).layout = UNWRAPPED;
    string a = 1 [(connectrest.v1.field).when = {type: "string"}];
    int32 b = 2 [(connectrest.v1.field).when = {type: "number"}];
    Res c = 3 [(connectrest.v1.field).when = {type: "object"}];
  }
}`,
    problems: [
      "11:5: unwrapped-request: `a` and `b` of the oneof case.Inner.o would be the same text in a parameter of case.S.Get, which has no JSON types; leave one of them, or use a JSON body",
    ],
  },
  {
    name: "tuple_fields",
    source: response(
      "Pair p = 1;",
      `message Pair {
  option (connectrest.v1.message).tuple = true;
  string a = 1 [(connectrest.v1.field) = {name: "x", from: {path: "z"}}];
  oneof o { string b = 2; int32 c = 3; }
  map<string, string> rest = 5 [(connectrest.v1.field).unknown = true];
}`,
    ),
    problems: [
      "8:43: no-effect: name of case.Pair.a has no effect: an item of a tuple has no key; remove it",
      "8:54: no-effect: from of case.Pair.a has no effect: an item of a tuple has no key; remove it",
      "9:3: tuple-oneof: the oneof case.Pair.o is in the tuple case.Pair, in which each field is an item; move the oneof to a message with the layout UNWRAPPED, and make this message an item",
      "10:3: tuple-number: case.Pair.rest has the number 5, but no field of the tuple case.Pair has the number 4; number the fields by their places in the array, and declare an unused item as google.protobuf.Value",
      "10:33: unknown-type: `unknown` in a tuple requires a field that is last and repeated; case.Pair.rest is not",
    ],
  },
  {
    name: "tuple_rest",
    source: response(
      "Pair p = 1; Only q = 2 [(connectrest.v1.field).unwrap = true];",
      `message Pair {
  option (connectrest.v1.message).tuple = true;
  string a = 1;
  repeated string rest = 2 [(connectrest.v1.field) = {unknown: true, name: "x", style: COMMA, absent: "-"}];
}
message Only {
  option (connectrest.v1.message).tuple = true;
  repeated string a = 1;
}`,
    ),
    problems: [
      "4:27: unwrap-type: case.Only is a tuple, so its JSON is an array, not the value of case.Only.a; remove `unwrap`",
      "9:70: no-effect: name of case.Pair.rest has no effect: a field that collects unknown keys has no key of its own; remove it",
      "9:81: no-effect: style of case.Pair.rest has no effect: the further items of a tuple are separate values; remove it",
      "9:95: no-effect: absent of case.Pair.rest has no effect: the further items of a tuple are separate values; remove it",
    ],
  },
  {
    name: "tuple_request",
    source: `service S {
  rpc Get(Req) returns (Res) {
    option (google.api.http) = {post: "/a" body: "*"};
  }
}
message Res {}
message Req {
  option (connectrest.v1.message).tuple = true;
  string a = 1;
}`,
    problems: [
      "8:3: tuple-request: the tuple case.Req is the request of case.S.Get, in which each field has its own place; make it a field of the request, and name this field as the body",
    ],
  },
  {
    name: "tuple_query",
    source: request(
      "Pair p = 1; repeated Pair list = 2;",
      `message Pair {
  option (connectrest.v1.message).tuple = true;
  string a = 1;
}`,
    ),
    problems: [
      "7:3: tuple-request: the tuple case.Pair is sent in a parameter of case.S.Get, but parameters have names, and the items of a tuple have none; use a JSON body, or json_text: true on the field of the request",
    ],
  },
  {
    name: "tuple_brackets",
    source: `${method('get: "/a"', "option (connectrest.v1.method).http = {nesting: BRACKETS};", "map<string, Inner> i = 1;")}
message Inner { Pair p = 1; }
message Pair {
  option (connectrest.v1.message).tuple = true;
  string a = 1;
}`,
    problems: [
      "11:3: tuple-request: the tuple case.Pair is sent in a parameter of case.S.Get, but parameters have names, and the items of a tuple have none; use a JSON body, or json_text: true on the field of the request",
    ],
  },
  {
    name: "tuple_flattened",
    source: response(
      'oneof o { option (connectrest.v1.oneof).discriminator = "type"; Pair p = 1; }',
      `message Pair {
  option (connectrest.v1.message).tuple = true;
  string a = 1;
}`,
    ),
    problems: [
      "4:13: member-keys: case.Res.p is a case.Pair, which has no keys that could be next to the discriminator; set layout: NESTED or BESIDE, or put it into a message",
    ],
  },
  {
    name: "wire_twice",
    source: response(
      "Kind k = 1;",
      `enum Kind {
  KIND_UNSPECIFIED = 0;
  KIND_OAK = 1 [(connectrest.v1.enum_value).wire = "oak"];
  KIND_ELM = 2 [(connectrest.v1.enum_value) = {wire: "elm", aliases: ["ulme", "oak"]}];
}`,
    ),
    problems: [
      "9:61: wire-twice: `oak` is already the spelling of KIND_OAK, so KIND_ELM of case.Kind is never read",
    ],
  },
  {
    name: "wire_alias_twice",
    source: response(
      "Kind k = 1;",
      `enum Kind {
  KIND_UNSPECIFIED = 0;
  KIND_OAK = 1 [(connectrest.v1.enum_value) = {wire: "oak", aliases: "oak"}];
}`,
    ),
    problems: ["8:61: alias-twice: the alias `oak` of case.KIND_OAK is already a spelling of the value"],
  },
];
