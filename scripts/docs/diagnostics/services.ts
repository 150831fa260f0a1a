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
      remedy: "Rename it.",
    },
    header: {
      meaning: "The name or value of a constant header is not valid in HTTP (RFC 9110 section 5).",
      remedy: "Use a token as the name, and printable ASCII on one line as the value.",
    },
    "rule-text": {
      meaning:
        "A text of a rule holds what cannot stand where the rule puts it: a line break or another control character, a character that is not for headers, or a segment of a path that leads elsewhere.",
      remedy: "Remove what the text names; in a path, percent-encode it.",
    },
    "credential-kind": {
      meaning: "`credentials` includes an unset kind.",
      remedy: "Use one of the kinds, or NONE.",
    },
    "credential-twice": {
      meaning: "`credentials` lists the same kind twice.",
      remedy: "Remove one of them.",
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
        "A rule is valid, but nothing acts on it here: another rule replaces it, or it is for another kind of field, body or method. The text says which.",
      remedy: "Remove the rule, or change what makes it idle.",
    },
    "service-unmapped": {
      meaning:
        "A service has rules, but none of its methods has an HTTP rule; or a method has rules without one. There is no call to which they could apply.",
      remedy: "Add `google.api.http`, or remove the rules.",
    },
    "idempotent-conflict": {
      meaning:
        "`idempotent` contradicts the `idempotency_level` of the method, or makes its `idempotency_key` pointless.",
      remedy: "Keep the one that is true of the upstream, and remove the other.",
    },
    "json-part": {
      meaning: "`json_part` is set, but the body is not multipart.",
      remedy: "Set `request_encoding` to MULTIPART or MULTIPART_WHEN_PARTS.",
    },
    "success-status": {
      meaning:
        "`success` lists a number that is not a final HTTP status, one from 200 to 299, which is a success anyway, or one twice.",
      remedy: "Use each status from 300 to 599 once.",
    },
    "parameter-name": {
      meaning: "A constant parameter has no name, or that of another one.",
      remedy: "Add `name`, or remove the parameter.",
    },
    "parameter-json": {
      meaning: "The `json` of a constant parameter is not valid JSON, or `value` is set too.",
      remedy: 'Set `json` to valid JSON, e.g. `true` or `"text"`, without `value`.',
    },
    "error-status": {
      meaning: "The status of an error rule is not an HTTP status.",
      remedy: "Use a status from 100 to 599, or leave it out to match any.",
    },
    "error-condition": {
      meaning: "An error rule has no condition, so it would match every error.",
      remedy: "Set `status`, `subcode`, `subcode_text`, `header` or `body`.",
    },
    "error-subcode": {
      meaning: "An error rule has both a numeric and a textual subcode, but a response has only one of them.",
      remedy: "Keep one, or write two rules.",
    },
    "error-meaning": {
      meaning:
        "An error rule sets neither `code` nor `reason`, so it has no effect, or its code is OK, which is not an error.",
      remedy: "Set `code`, `reason` or both. List a status that is no error in `success` of the method.",
    },
    "error-body-shape": {
      meaning: "An entry of `error_bodies` has no shape.",
      remedy: "Set `items`, `title_map`, `field_map`, `text`, `oauth` or `rpc_status`.",
    },
    "retry-after-header": {
      meaning: "A `retry_after` rule has neither a header nor a path, or it has both.",
      remedy: "Set `header` or `path`; write a rule for each.",
    },
    "error-metadata-key": {
      meaning:
        "A key of `error_metadata` is not allowed in `google.rpc.ErrorInfo`, belongs to the runtime, or is used twice.",
      remedy: "Set `key` to a name of its own, in letters, digits, `_` and `-`.",
    },
    "credential-field": {
      meaning:
        "An entry of `credential_fields` is not a field of the request with one value that is sent, or is not marked `redact`.",
      remedy: "Name each field once, as in the `.proto` file, and mark it with `redact`.",
    },
    "credential-fields-unused": {
      meaning:
        "A method has `credential_fields`, but sends no other credentials. A rejection is then always about those of the caller.",
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
        "The condition of a rate limit cannot be checked on the request, or never holds: its key is not a field of the request, or the field cannot have the value.",
      remedy:
        "Use the path of a field of the request, and values that it can have. A condition belongs to the limits of methods; methods share a count by a common `bucket`.",
    },
  },
  Streams: {
    "stream-unmapped": {
      meaning:
        "A streaming method has an HTTP rule, but no rule says how its stream is mapped. Only a server stream that has no rules beside its HTTP rule needs none: it is read as one JSON array, as Google's REST streams are.",
      remedy:
        "Add `paginate`, `poll`, `records` (`LINES`, `EVENT_STREAM` or `ARRAY`) or `download` to a server stream, `upload` to a client stream; or remove the HTTP rule.",
    },
    "stream-kind": {
      meaning: "The rule is for another kind of stream than that of the method.",
      remedy:
        "Write `stream` in front of the response for `paginate`, `poll`, `records` and `download`, in front of the request for `upload`.",
    },
    "stream-rules": {
      meaning: "A method has more than one of `paginate`, `poll`, `records`, `upload` and `download`.",
      remedy: "Keep one, and add a second method for the other.",
    },
    "stream-items": {
      meaning: "`paginate` or `poll` does not say where the items are.",
      remedy: 'Add `items`; `"."` is the payload itself.',
    },
    "stream-field": {
      meaning: "A stream rule names a field that the message does not have.",
      remedy: "Use the name of a field, as declared.",
    },
    "stream-chunk": {
      meaning: "The field for the chunks of an upload or download is not of type bytes.",
      remedy: "Change its type to bytes.",
    },
    "paginate-next": {
      meaning: "`paginate` does not say how to find the next page.",
      remedy: "Add one of `link`, `link_header`, `offset`, `page`, `cursor` and `last_item`.",
    },
    "paginate-step": {
      meaning: "The field that counts pages or items is not a number.",
      remedy: "Use an integer field.",
    },
    "paginate-cursor": {
      meaning:
        "The cursor has neither a path nor a header to read its value from, or the type of the field that receives it does not fit.",
      remedy:
        "Add `path`, or `header` for a cursor in a header; use a string, an integer or a Timestamp for the field.",
    },
    "paginate-overlap": {
      meaning:
        "`overlap` is set for a cursor of the response, has no `key`, or the field that receives the value is neither an integer nor a Timestamp with a `unit`.",
      remedy:
        "Set `overlap` only in `last_item`, with the path of what identifies an item. Give a Timestamp a `unit`: `time: {unit: SECONDS}`.",
    },
    "paginate-link-query": {
      meaning: "`link_query` or `link_always` is set, but the next page is not found by `link`.",
      remedy: "Add `link`, or remove the rule. A cursor has an `always` of its own.",
    },
    "poll-key": {
      meaning: "`poll` does not say what identifies an item, so new items cannot be told from known ones.",
      remedy: "Add `key`.",
    },
    "undeclared-key": {
      meaning:
        "A path or a key leads to nothing that a field reads. Where nothing would say so at run time (`key` of `poll` and of `overlap`, keys that `records` adds), every such key is reported; elsewhere a key that is nearly a declared one, since a description may leave out keys.",
      remedy:
        "Correct the key, or declare a field for it. A step in quotes is this very key: `'id'`, `page.'next'`. Paths into a page are compared with the response of a unary method of the service with the same URL.",
    },
    "cursor-notation": {
      meaning:
        "The last item writes a time in another unit or notation than the request field of `last_item` takes.",
      remedy: "Name another value of the item, or correct `time` of either field.",
    },
    "stream-text": {
      meaning: "The field that holds the name or the type of an upload is not a string.",
      remedy: "Change its type to string.",
    },
    "paginate-pages": {
      meaning: "`max_pages` or `max_empty_pages` is negative.",
      remedy: "Use 1 or more, or leave it out for the default.",
    },
    "paginate-count": {
      meaning:
        "`total` or `first` counts items or pages, but the next page is found neither by `offset` nor by `page`.",
      remedy: "Set `offset` or `page`, or remove the rule.",
    },
    "empty-spelling": {
      meaning:
        "`empty` of an envelope or a `paginate` rule names no spelling, names one twice, or names EMPTY_BODY for a page.",
      remedy:
        "Name each spelling that the upstream uses once. A response without a body is a matter of `envelope`: `envelope: {empty: EMPTY_BODY}`.",
    },
    "records-keys": {
      meaning: "`records` sets a key that its format does not have, or uses the same key twice.",
      remedy: "Set `format: EVENT_STREAM`, and use a different key for each.",
    },
    "records-end": {
      meaning:
        "`end` of `records` contains an empty text, or is set for an array. Empty lines are skipped, so they cannot end a stream; an array ends itself.",
      remedy: "Write the text that ends the stream, or remove the rule.",
    },
    "records-idle": {
      meaning: "The pause that `idle` of `records` allows is not positive.",
      remedy: "Use a duration of more than 0.",
    },
    "redirects-verb": {
      meaning:
        "A method is to follow redirects, but its request changes something: its verb is not GET or HEAD.",
      remedy:
        "Remove `redirects` from the method. Read the address into a field, or see `operation` for accepted work.",
    },
    "operation-path": {
      meaning: "`path` of an `operation` is not a path with exactly one variable.",
      remedy: "Name the value of the payload that the path needs: `/v1/{name}`.",
    },
    "operation-result": {
      meaning:
        "An `operation` has both `result` and `result_link`, or either in a stream, whose messages are the states.",
      remedy: "Keep the one that applies; in a stream, none.",
    },
    "operation-encoding": {
      meaning: "A method waits for accepted work, but its responses are not read as JSON.",
      remedy: "Remove `response_encoding`, or fetch the bytes of the result with a method of their own.",
    },
    "operation-interval": {
      meaning: "The interval of an `operation` is not positive, or is longer than a timer can run.",
      remedy: "Use a duration of more than 0 and at most 2147483647 ms.",
    },
    "operation-polls": {
      meaning: "`max_polls` of an `operation` is negative.",
      remedy: "Use a positive number, or leave it out.",
    },
    "poll-batch": {
      meaning:
        "The `batch` of a `poll` names no field for its items or for the resume token, or the message has fields that nothing would set.",
      remedy: "Name every field of the message in `batch`; `items` and `resume_token` are required.",
    },
    "poll-field": {
      meaning: "A field that `poll` names has the wrong type for what it is to be, or two meanings.",
      remedy: "Change its type to the one that the problem names, or name another field.",
    },
    "poll-without-batch": {
      meaning:
        "`request`, `pages` or `ignore_case` of a `poll` without `batch`: they have an effect only there.",
      remedy: "Add `batch`, or remove them.",
    },
    "poll-backlog": {
      meaning: "`skip_backlog` together with `batch`, where each request says where its stream starts.",
      remedy: "Remove `skip_backlog`; without a field for the start, streams start from now on.",
    },
    "poll-pages": {
      meaning:
        "`pages` of a `poll` does not say how pages follow each other, or has an impossible size or number of pages.",
      remedy: "Set `link_header` or `page`, and `max` to the number of pages of the feed, at least 2.",
    },
    "poll-interval": {
      meaning:
        "The interval of a poll is too short or too long. Each poll is a request, and no feed is polled more often than once in a second, which is also the least that an interval header can ask for.",
      remedy: "Use a duration of a second to a day.",
    },
  },
};
