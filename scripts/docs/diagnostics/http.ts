import type { Diagnostics } from "./diagnostic.ts";

/** Problems of HTTP rules, paths, bodies, queries and headers. */
export const HTTP_DIAGNOSTICS: Diagnostics = {
  "HTTP rules": {
    "http-pattern-missing": {
      meaning:
        "A `google.api.http` option has no verb: none of `get`, `put`, `post`, `delete`, `patch` and `custom`.",
      remedy: "Add a verb with its path, or remove the option.",
    },
    "http-verb": {
      meaning: "The `kind` of a `custom` pattern is not an HTTP method in capitals (RFC 9110 section 9.1).",
      remedy: "Write the method as it is sent, e.g. `HEAD`.",
    },
    "binding-unreachable": {
      meaning:
        "Bindings are tried in order, and the first one whose path variables are all set is used. Every request that sets the variables of this binding also sets those of an earlier one, so this binding is never used. With `unsupported=skip` this is a warning.",
      remedy: "Move the binding with more variables to the front, or remove one of them.",
    },
    "response-body-field": {
      meaning: "`response_body` names a field that the response does not have.",
      remedy: "Use the name of a field of the response message, as declared.",
    },
    "response-body-differs": {
      meaning:
        "An additional binding has another `response_body` than the first binding. All bindings of a method share one response decoder; a binding without `response_body` uses that of the first.",
      remedy: "Use the same field in all bindings, or split the method in two.",
    },
    "binding-nested": {
      meaning:
        "An additional binding has additional bindings of its own, which `google/api/http.proto` does not allow.",
      remedy: "Move them one level up.",
    },
  },
  Paths: {
    "path-syntax": {
      meaning:
        "The path violates the syntax of `google/api/http.proto`, or contains characters that a path cannot contain.",
      remedy:
        "Fix the path at the character that the message points to; percent-encode anything that is not ASCII.",
    },
    "path-wildcard": {
      meaning:
        "`*` or `**` is used outside of a variable. A server accepts any value there, but a client has no value to send.",
      remedy: "Bind it to a field: `{field=*}`.",
    },
    "path-field": {
      meaning: "A path variable names a field that the request does not have.",
      remedy:
        "Use the name of a field of the request message, as declared; write `message.field` for a nested field.",
    },
    "path-field-twice": {
      meaning: "Two variables of a path name the same field.",
      remedy: "Use a different field for each.",
    },
    "path-field-type": {
      meaning: "A path variable names a list, a map or a message. These have no text form for a path.",
      remedy:
        "Use a string, a number, a bool or an enum: for a time a string, or an integer of seconds. Name a field of a message by `{message.field}`.",
    },
  },
  Bodies: {
    "body-verb": {
      meaning: "A GET or HEAD request has a `body`. Many servers ignore it or reject the request.",
      remedy: "Remove `body`, so that the fields are sent in the query, or use another verb.",
    },
    "body-field": {
      meaning: "`body` names a field that the request does not have.",
      remedy: 'Use the name of a field of the request message, as declared, or `body: "*"`.',
    },
    "body-field-in-path": {
      meaning: "The field that is the body is also a path variable.",
      remedy: "Use two fields.",
    },
    "encoding-without-body": {
      meaning: "`request_encoding` is set, but the method has no body.",
      remedy: 'Add `body: "*"`, or remove `request_encoding`.',
    },
    "encoding-lines": {
      meaning: "`request_encoding: LINES` is set, but the body is not a single repeated field.",
      remedy: "Set `body` to the repeated field that holds the lines.",
    },
    "encoding-of-field": {
      meaning: "`body` names a single field, but a form or multipart body needs named fields.",
      remedy: 'Use `body: "*"`.',
    },
    "body-content-type": {
      meaning:
        "`body` names a single scalar field, which is sent as JSON text, but a rule declares another Content-Type. The upstream would read quotes, escapes or base64 as content.",
      remedy:
        "Declare the field as `google.api.HttpBody`, whose bytes are sent as they are, or remove the header.",
    },
    "response-bytes": {
      meaning:
        "The response is read as bytes (`response_encoding: BYTES`), but the response message has no field for them and would always be empty.",
      remedy:
        "Name a bytes field in `response_body`, return `google.api.HttpBody`, or use EMPTY if the body is not needed.",
    },
    "part-type": {
      meaning: "A field is placed in a PART, but its type cannot be the content of a part.",
      remedy:
        "Use bytes, a string, `google.api.HttpBody`, or a message with a field that has `piece: CONTENT`.",
    },
  },
  "Queries and other places": {
    "query-map": {
      meaning: "A map has no standard form in a query.",
      remedy:
        "Set `style: SPREAD` to send one parameter per entry, set `http: {nesting: BRACKETS}` to send `map[key]=value`, or move the field to a body.",
    },
    "query-repeated-message": {
      meaning: "A list of messages has no standard form in a query.",
      remedy:
        "Move the field to a body, place it with `in`, or set `http: {nesting: BRACKETS}` to send `items[0][name]=value`.",
    },
    "query-type": {
      meaning:
        "A `google.protobuf.Struct`, `Value`, `ListValue` or `Any` can hold any JSON. `google/api/http.proto` does not define query parameters for it.",
      remedy: "Move the field to a body.",
    },
    "query-recursion": {
      meaning: "A message that contains itself would need an unlimited number of query parameters.",
      remedy: "Move the field to a body.",
    },
    "in-type": {
      meaning: "A message is placed in a header, a cookie or a parameter, all of which hold text.",
      remedy: "Use a scalar, or a list of scalars.",
    },
    "in-nested": {
      meaning:
        "`in` is set on a field of a nested message. Only fields of the request message itself can be placed.",
      remedy: "Move the field to the request message, or remove `in`.",
    },
    "in-unused": {
      meaning:
        "`in` places a field in the path, the body, a part or the OAuth 1.0a signature, but no binding puts it there. It would never be sent.",
      remedy: "Fix the HTTP rule or the credentials, or remove `in`.",
    },
    "query-oneof": {
      meaning:
        "A oneof with a discriminator is in a message of a query or form, where no parameter says which member is set.",
      remedy: "Use a body, or `http: {nesting: BRACKETS}`; or give the members names of their own.",
    },
    "style-type": {
      meaning:
        "`style` is set on a field that has a single value, or on a list of messages, which have no text form.",
      remedy: "Remove the rule.",
    },
    "name-twice": {
      meaning:
        "Two values have the same name in the same place of a request: fields, constant parameters and headers, the API key, the `Authorization` header of the credentials, the parameters of an OAuth 1.0a signature, or the `Cookie` header of fields in COOKIE. The upstream would receive both, or only one of them. Fields that exclude each other, in a oneof or by a constraint, may share a name. A header field may have the name of `idempotency_key`, and replaces the key.",
      remedy:
        "Give one of them another `name`, or remove one. A field with credentials of the caller needs `credentials: NONE`.",
    },
    "header-name": {
      meaning:
        "A rule has an invalid header name (RFC 9110 section 5.1), or sets a header that is managed by the connection, such as `Host` or `Content-Length`, or by the configuration of the upstream: `User-Agent` and `Accept-Encoding`.",
      remedy: "Fix the name, or remove the rule; the runtime sets these headers.",
    },
    "cookie-name": {
      meaning: "A field is placed in a cookie with an invalid name (RFC 6265 section 4.1.1).",
      remedy: "Use a token: letters, digits and the characters that the RFC allows.",
    },
    "number-type": {
      meaning:
        "`number` is set on a field that is not a 64-bit integer. All other numbers are always sent as bare numbers.",
      remedy: "Remove the rule.",
    },
    "bytes-type": {
      meaning: "`bytes` is set on a field that is not of type bytes.",
      remedy: "Remove the rule.",
    },
    "piece-type": {
      meaning:
        "The type of the field does not fit its `piece`: names and types are strings, the content is bytes or a string.",
      remedy: "Change the type of the field.",
    },
  },
};
