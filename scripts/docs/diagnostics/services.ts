import type { Diagnostics } from "./diagnostic.ts";

/** Problems of the rules of services and methods, streams included. */
export const SERVICE_DIAGNOSTICS: Diagnostics = {
  "Services and methods": {
    "api-key-place": {
      meaning: "`credentials` has API_KEY, but nothing says where the key goes.",
      remedy: "Add `api_key` to the service or the method.",
    },
    "error-reason": {
      meaning: "The reason of an error rule is not in UPPER_SNAKE_CASE, as `google.rpc.ErrorInfo` has it.",
      remedy: "Rename it.",
    },
    header: {
      meaning: "The name or value of a constant header is not allowed in HTTP (RFC 9110 section 5).",
      remedy: "Names are tokens; values are printable ASCII on one line.",
    },
    "credential-kind": {
      meaning: "`credentials` has a kind that is not set.",
      remedy: "Name a kind, or NONE.",
    },
    "credential-twice": {
      meaning: "`credentials` names a kind twice.",
      remedy: "Take one away.",
    },
    "scope-syntax": {
      meaning: "A scope is not one word (RFC 6749 section 3.3).",
      remedy: "Write each scope as an item of its own.",
    },
    "scopes-credentials": {
      meaning: "A method has scopes, but accepts no credentials that have some.",
      remedy: "Add OAUTH1 or OAUTH2 to its credentials, or take the scopes away.",
    },
    "timeout-range": {
      meaning: "The timeout of a method is not positive, or longer than a timer can wait.",
      remedy: "Write a duration of more than 0 and at most 2147483647 ms.",
    },
    "json-part": {
      meaning: "`json_part` names a part, but the body has no parts.",
      remedy: "Set `request_encoding` to MULTIPART or MULTIPART_WHEN_PARTS.",
    },
    "success-status": {
      meaning: "`success` has a number that is no final HTTP status.",
      remedy: "Write statuses from 200 to 599.",
    },
    "parameter-name": {
      meaning: "A constant parameter has no name.",
      remedy: "Add `name`.",
    },
    "parameter-json": {
      meaning: "The `json` of a constant parameter is not JSON, or stands beside a `value`.",
      remedy: 'Write JSON, e.g. `true` or `"text"`, and no `value`.',
    },
    "error-status": {
      meaning: "An error rule has a number that is no HTTP status.",
      remedy: "Write a status from 100 to 599, or leave it away for any.",
    },
    "error-condition": {
      meaning: "An error rule has no condition, so that every error would be this one.",
      remedy: "Set `status`, `subcode`, `subcode_text`, `header` or `body`.",
    },
    "error-subcode": {
      meaning:
        "An error rule has a subcode that is a number and one that is a word; an answer has one of them.",
      remedy: "Keep one, or write two rules.",
    },
    "error-meaning": {
      meaning: "An error rule has neither code nor reason, and so changes nothing.",
      remedy: "Set `code`, `reason` or both.",
    },
    "error-body-shape": {
      meaning: "An error body has no shape.",
      remedy: "Set `items`, `title_map`, `text`, `oauth` or `rpc_status`.",
    },
    "retry-after-header": {
      meaning: "A `retry_after` rule names no header.",
      remedy: "Set `header`.",
    },
    "rate-limit-requests": {
      meaning: "A rate limit allows no requests.",
      remedy: "Write 1 or more.",
    },
    "rate-limit-window": {
      meaning: "A rate limit has no window, or two: a length and a calendar day.",
      remedy: "Keep `window` or `calendar_day`.",
    },
    "rate-limit-zone": {
      meaning: "`calendar_day` is no time zone of the IANA database.",
      remedy: "Write e.g. `UTC` or `America/New_York`.",
    },
  },
  Streams: {
    "stream-unmapped": {
      meaning: "A streaming method has an HTTP rule, but nothing says what its stream is.",
      remedy:
        "Add `paginate`, `poll` or `download` to a server stream, `upload` to a client stream; or take the HTTP rule away.",
    },
    "stream-kind": {
      meaning: "The rule is for another kind of stream than the method has.",
      remedy:
        "Write `stream` in front of the response for `paginate`, `poll` and `download`, in front of the request for `upload`.",
    },
    "stream-rules": {
      meaning: "A method has more than one of `paginate`, `poll`, `upload` and `download`.",
      remedy: "Keep one; make a second method of the other.",
    },
    "stream-items": {
      meaning: "`paginate` or `poll` does not say where the items are.",
      remedy: 'Add `items`, with `"."` for the payload itself.',
    },
    "stream-field": {
      meaning: "A stream rule names a field that the message does not have.",
      remedy: "Name a field as it is declared.",
    },
    "stream-chunk": {
      meaning: "The field for chunks of an upload or download is not of type bytes.",
      remedy: "Change its type.",
    },
    "paginate-next": {
      meaning: "`paginate` does not say how the next page is found.",
      remedy: "Add one of `link`, `link_header`, `offset`, `page`, `cursor` and `last_item`.",
    },
    "paginate-step": {
      meaning: "The field that counts pages or items is no number.",
      remedy: "Use an integer.",
    },
    "paginate-cursor": {
      meaning:
        "The cursor has no path to its value and no header with it, or the field that takes it cannot hold one.",
      remedy:
        "Add `path`, or `header` for a cursor in a header; use a string, an integer or a Timestamp for the field.",
    },
    "paginate-link-query": {
      meaning: "`link_query` names parameters of a link, but the next page is found in another way.",
      remedy: "Add `link`, or take `link_query` away.",
    },
    "poll-key": {
      meaning:
        "`poll` does not say what tells an item from others, so that news cannot be told from what was there.",
      remedy: "Add `key`.",
    },
    "stream-text": {
      meaning: "A field that an upload takes a name or type from is no string.",
      remedy: "Change its type.",
    },
    "paginate-pages": {
      meaning: "`max_pages` is negative.",
      remedy: "Write 1 or more, or leave it away for the default.",
    },
    "paginate-count": {
      meaning: "`total` or `first` counts items or pages, but the next page is found by something else.",
      remedy: "Set `offset` or `page`, or take the rule away.",
    },
    "records-keys": {
      meaning: "`records` names keys for what its format does not have, or one key for two things.",
      remedy: "Set `format: EVENT_STREAM`, and name different keys.",
    },
    "records-end": {
      meaning: "`end` of `records` has an empty text. Empty lines are passed over, and cannot end a stream.",
      remedy: "Write the text that ends the stream, or take it away.",
    },
    "records-idle": {
      meaning: "The pause that `records` allows is not positive.",
      remedy: "Write a duration of more than 0.",
    },
    "poll-interval": {
      meaning: "The interval of a poll is not positive.",
      remedy: "Write a duration of more than 0.",
    },
  },
};
