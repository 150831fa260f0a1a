import type { Diagnostics } from "./diagnostic.ts";

/** Problems of the rules of services, methods and streams. */
export const SERVICE_DIAGNOSTICS: Diagnostics = {
  "Services and methods": {
    "api-key-place": {
      meaning: "`credentials` includes API_KEY, but no rule says where the key is sent.",
      remedy: "Add `api_key` to the service or the method.",
    },
    "error-reason": {
      meaning:
        "The reason of an error rule is not in UPPER_SNAKE_CASE with 3 to 63 characters, which `google.rpc.ErrorInfo` requires.",
      remedy: "Rename the reason.",
    },
    header: {
      meaning: "The name or value of a constant header is not valid in HTTP (RFC 9110 section 5).",
      remedy: "Use a token as the name, and printable ASCII on one line as the value.",
    },
    "rule-text": {
      meaning:
        "A string in a rule contains a part that is not allowed there. Examples are line breaks and other control characters, characters that headers cannot contain, and path segments that lead to another path.",
      remedy: "Remove the part that the problem names, or percent-encode it in a path.",
    },
    "credential-kind": {
      meaning: "`credentials` includes an unset kind.",
      remedy: "Use one of the kinds, or NONE.",
    },
    "credential-twice": {
      meaning: "`credentials` lists the same kind twice.",
      remedy: "Remove one of the two entries.",
    },
    "scope-syntax": {
      meaning: "A scope is not a single word (RFC 6749 section 3.3).",
      remedy: "List each scope separately.",
    },
    "scopes-credentials": {
      meaning: "A method has scopes, but accepts no kind of credentials that supports scopes.",
      remedy: "Add OAUTH1 or OAUTH2 to its credentials, or remove the scopes.",
    },
    "timeout-range": {
      meaning: "The timeout of a method is not positive, or is longer than a timer can run.",
      remedy: "Use a duration of more than 0 and at most 2147483647 ms.",
    },
    "no-effect": {
      meaning:
        "A rule is valid, but has no effect here: another rule replaces it, or the rule applies only to other kinds of fields, bodies or methods. The problem names the cause.",
      remedy: "Remove the rule, or correct the cause.",
    },
    "known-read": {
      meaning:
        "A key in `known` is also read by a rule or a field, or has such a key below it. A known key covers all keys below it, so that a stream would end after one page without a report if the upstream renamed its cursor.",
      remedy: "Remove the key from `known`. List the keys below it that nothing reads one by one.",
    },
    "service-unmapped": {
      meaning:
        "A service has rules, but none of its methods has an HTTP rule; or a method has rules but no HTTP rule. The rules would apply to no call.",
      remedy: "Add `google.api.http`, or remove the rules.",
    },
    "idempotent-conflict": {
      meaning:
        "`idempotent` contradicts the `idempotency_level` of the method, or makes its `idempotency_key` pointless.",
      remedy: "Keep the rule that is true for the upstream, and remove the other rule.",
    },
    "json-part": {
      meaning: "`json_part` is set, but the body is not multipart.",
      remedy: "Set `request_encoding` to MULTIPART or MULTIPART_WHEN_PARTS.",
    },
    "success-status": {
      meaning:
        "`success` lists a number that is not a final HTTP status, or lists a status twice, or lists a status from 200 to 299, which always means success.",
      remedy: "Use each status from 300 to 599 once.",
    },
    "listed-twice": {
      meaning:
        "A list of a rule contains the same value twice, such as `known`, `items`, `payload`, `absent` or the paths of a cursor.",
      remedy: "Remove one of the two, or correct it.",
    },
    "parameter-name": {
      meaning: "A constant parameter has no name, or has the same name as another parameter.",
      remedy: "Add `name`, or remove the parameter.",
    },
    "parameter-json": {
      meaning: "The `json` of a constant parameter is not valid JSON, or `value` is also set.",
      remedy: 'Set `json` to valid JSON, e.g. `true` or `"text"`, without `value`.',
    },
    "error-status": {
      meaning: "The status of an error rule is not an HTTP status.",
      remedy: "Use a status from 100 to 599, or omit `status` to match any status.",
    },
    "error-condition": {
      meaning: "An error rule has no condition, so it would match every error.",
      remedy: "Set `status`, `subcode`, `subcode_text`, `header` or `body`.",
    },
    "error-subcode": {
      meaning: "An error rule has both a numeric and a textual subcode, but a response has only one subcode.",
      remedy: "Keep one of the subcodes, or write two rules.",
    },
    "error-meaning": {
      meaning:
        "An error rule sets neither `code` nor `reason`, so it has no effect, or it sets `code: OK`, which is not an error.",
      remedy:
        "Set `code`, `reason` or both. If the status means success, list it in `success` of the method.",
    },
    "error-body-shape": {
      meaning: "An entry of `error_bodies` has no shape.",
      remedy: "Set `items`, `title_map`, `field_map`, `text`, `oauth` or `rpc_status`.",
    },
    "retry-after-header": {
      meaning: "A `retry_after` rule has neither a header nor a path, or has both.",
      remedy: "Set either `header` or `path`. For both, write two rules.",
    },
    "error-metadata-key": {
      meaning:
        "A key of `error_metadata` is not allowed in `google.rpc.ErrorInfo`, belongs to the runtime, or is used twice.",
      remedy: "Set `key` to a different name of letters, digits, `_` and `-`.",
    },
    "credential-field": {
      meaning:
        "An entry of `credential_fields` does not name a single-valued request field that is sent, or names a field that is not marked `redact`.",
      remedy: "Name each field once, as in the `.proto` file, and mark it with `redact`.",
    },
    "credential-fields-unused": {
      meaning:
        "A method has `credential_fields`, but sends no other credentials. A rejection then always concerns the caller's credentials.",
      remedy: "Remove `credential_fields`.",
    },
    "rate-limit-requests": {
      meaning: "A rate limit allows no requests at all.",
      remedy: "Set `requests` to 1 or more.",
    },
    "rate-limit-window": {
      meaning: "A rate limit has no window, or has both `window` and `calendar_day`.",
      remedy: "Set exactly one of `window` and `calendar_day`.",
    },
    "rate-limit-zone": {
      meaning: "`calendar_day` is not a time zone of the IANA database.",
      remedy: "Use a name such as `UTC` or `America/New_York`.",
    },
    "when-request": {
      meaning:
        "The condition of a rate limit cannot be checked, or is never true: its key is not a field of the request, or the field cannot have the value.",
      remedy:
        "Use the path of a request field, and values that this field can have. Only rate limits of methods can have a condition; methods with the same `bucket` share a count.",
    },
  },
  Streams: {
    "stream-unmapped": {
      meaning:
        "A streaming method has an HTTP rule, but no rule describes its stream. A server stream needs such a rule if it has any rule other than its HTTP rule. With only an HTTP rule, its response is read as one JSON array, as in Google's REST streams.",
      remedy:
        "Add `paginate`, `poll`, `records` (`LINES`, `EVENT_STREAM` or `ARRAY`) or `download` to a server stream, or `upload` to a client stream. Or remove the HTTP rule.",
    },
    "stream-kind": {
      meaning: "The rule does not apply to the kind of stream that the method has.",
      remedy:
        "For `paginate`, `poll`, `records` and `download`, write `stream` in front of the response. For `upload`, write `stream` in front of the request.",
    },
    "stream-rules": {
      meaning: "A method has more than one of `paginate`, `poll`, `records`, `upload` and `download`.",
      remedy: "Keep one of the rules, and add a second method for the other.",
    },
    "stream-items": {
      meaning: "A `paginate` or `poll` rule has no `items`.",
      remedy: 'Add `items` with the path of the items. `"."` means the payload itself.',
    },
    "stream-field": {
      meaning: "A stream rule names a field that the message does not have.",
      remedy: "Use the name of a field, as declared.",
    },
    "stream-chunk": {
      meaning: "The field for the chunks of an upload or download is not of type bytes.",
      remedy: "Change the type of the field to bytes.",
    },
    "paginate-next": {
      meaning: "A `paginate` rule does not specify how to find the next page.",
      remedy: "Add one of `link`, `link_header`, `offset`, `page`, `cursor` and `last_item`.",
    },
    "paginate-step": {
      meaning: "The field that counts pages or items is not an integer.",
      remedy: "Use an integer field.",
    },
    "paginate-cursor": {
      meaning:
        "The cursor has neither a path nor a header from which its value is read, or the field that receives the value has an unsuitable type.",
      remedy:
        "Add `path`, or `header` for a cursor in a header; use a string, an integer or a Timestamp for the field.",
    },
    "paginate-overlap": {
      meaning:
        "`overlap` is set for a cursor of the response, `overlap` has no `key`, or the field that receives the value is neither an integer nor a Timestamp with a `unit`.",
      remedy:
        "Set `overlap` only in `last_item`, and set `key` to the path of a value that identifies an item. Give a Timestamp a `unit`: `time: {unit: SECONDS}`.",
    },
    "paginate-link-query": {
      meaning: "`link_query` or `link_always` is set, but the next page is not found by `link`.",
      remedy: "Add `link`, or remove the rule. For a cursor, set `always` in `cursor`.",
    },
    "paginate-in-items": {
      meaning:
        "A link, a cursor, `link_query`, `total` or `more` reads a place in the items of the pages. Only `last_item` reads values of items.",
      remedy:
        "Correct the path, or the path of the items. For a value of the last item, use `last_item`. With several paths of items, only a place in all of them is reported.",
    },
    "poll-key": {
      meaning:
        "A `poll` rule has no `key` to identify items by, so new items cannot be distinguished from known items.",
      remedy: "Add `key`.",
    },
    "undeclared-key": {
      meaning:
        "No field reads the value at a path or a key. For `key` of `poll` and of `overlap`, and for keys that `records` adds, every such key is reported, because the mistake would go unnoticed at run time. In other places, only a key that is similar to a declared key is reported, because a description may omit keys.",
      remedy:
        "Correct the key, or declare a field for it. If the upstream has exactly this key, quote it: `'id'`, `page.'next'`. Paths into a page are compared with the response of a unary method of the service with the same URL.",
    },
    "cursor-notation": {
      meaning: "The last item has a time in another unit or notation than the request field of `last_item`.",
      remedy: "Name another value of the item, or correct `time` of either field.",
    },
    "stream-text": {
      meaning: "The field that holds the name or the type of an upload is not a string.",
      remedy: "Change the type of the field to string.",
    },
    "paginate-pages": {
      meaning: "`max_pages` or `max_empty_pages` is negative.",
      remedy: "Use 1 or more, or omit the setting for the default.",
    },
    "paginate-count": {
      meaning:
        "`total` or `first` counts items or pages, but the next page is found neither by `offset` nor by `page`.",
      remedy: "Set `offset` or `page`, or remove the rule.",
    },
    "empty-spelling": {
      meaning:
        "`empty` of an envelope or a `paginate` rule lists no spelling, lists a spelling twice, or lists EMPTY_BODY for a page.",
      remedy:
        "List each spelling that the upstream uses once. For a response without a body, set `envelope: {empty: EMPTY_BODY}`.",
    },
    "records-keys": {
      meaning: "`records` sets a key that its format does not have, or uses the same key twice.",
      remedy: "Set `format: EVENT_STREAM`, and use different keys.",
    },
    "records-end": {
      meaning:
        "`end` of `records` contains an empty string, or is set for an array. Empty lines are skipped, so they cannot end a stream. The end of an array needs no marker.",
      remedy: "Write the text that ends the stream, or remove the rule.",
    },
    "records-idle": {
      meaning: "The pause that `idle` of `records` allows is not positive.",
      remedy: "Use a duration of more than 0.",
    },
    "redirects-verb": {
      meaning:
        "A method has `redirects`, but its verb is not GET or HEAD, so its request may have side effects.",
      remedy:
        "Remove `redirects` from the method. Read the address into a field, or use `operation` for accepted work.",
    },
    "operation-path": {
      meaning: "`path` of an `operation` is not a path with exactly one variable.",
      remedy: "Name the value of the payload that the path needs: `/v1/{name}`.",
    },
    "operation-result": {
      meaning:
        "An `operation` has both `result` and `result_link`, or the `operation` of a server stream has one of them, although the stream's messages are the states of the work, not its result.",
      remedy: "Keep one of the two. In a stream, remove both.",
    },
    "operation-encoding": {
      meaning: "A method waits for accepted work, but its responses are not read as JSON.",
      remedy: "Remove `response_encoding`, or fetch the bytes of the result with a separate method.",
    },
    "operation-interval": {
      meaning: "The interval of an `operation` is not positive, or is longer than a timer can run.",
      remedy: "Use a duration of more than 0 and at most 2147483647 ms.",
    },
    "operation-polls": {
      meaning: "`max_polls` of an `operation` is negative.",
      remedy: "Use a positive number, or omit `max_polls`.",
    },
    "poll-batch": {
      meaning:
        "The `batch` of a `poll` does not name the fields for the items and for the resume token, or the message has other fields, which would never be set.",
      remedy: "Name every field of the message in `batch`; `items` and `resume_token` are required.",
    },
    "poll-field": {
      meaning: "A field in a `poll` rule has the wrong type for its purpose, or has two purposes.",
      remedy: "Change the field to the type that the problem names, or name another field.",
    },
    "poll-without-batch": {
      meaning:
        "A `poll` rule has `request`, `pages` or `ignore_case`, which have an effect only with `batch`.",
      remedy: "Add `batch`, or remove the other settings.",
    },
    "poll-backlog": {
      meaning:
        "A `poll` rule has both `skip_backlog` and `batch`. With `batch`, each request selects where its stream starts.",
      remedy: "Remove `skip_backlog`. If a request sets no start field, its stream starts with new items.",
    },
    "poll-pages": {
      meaning:
        "`pages` of a `poll` rule does not specify how to find the next page, or has an impossible size or number of pages.",
      remedy: "Set `link_header` or `page`, and `max` to the number of pages of the feed, at least 2.",
    },
    "poll-interval": {
      meaning:
        "The interval of a poll is too short or too long. Each poll is a request, and a feed is polled at most once a second, even if an interval header allows more.",
      remedy: "Use a duration from one second to one day.",
    },
  },
};
