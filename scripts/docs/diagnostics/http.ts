import type { Diagnostics } from "./diagnostic.ts";

/** Problems of HTTP rules, paths, bodies, queries and headers. */
export const HTTP_DIAGNOSTICS: Diagnostics = {
  "HTTP rules": {
    "http-pattern-missing": {
      meaning:
        "A `google.api.http` option has no verb. The verbs are `get`, `put`, `post`, `delete`, `patch` and `custom`.",
      remedy: "Add a verb with its path, or remove the option.",
    },
    "http-verb": {
      meaning: "The `kind` of a `custom` pattern is not an HTTP method in capitals (RFC 9110 section 9.1).",
      remedy: "Write the method as it is sent, e.g. `HEAD`.",
    },
    "binding-unreachable": {
      meaning:
        "The first binding whose path variables are all set is used. Every request that sets the variables of this binding also sets the variables of an earlier binding, so this binding is never used. With `unsupported=skip`, the problem is a warning.",
      remedy: "Move the binding with more variables to the front, or remove one of the bindings.",
    },
    "response-body-field": {
      meaning: "`response_body` names a field that the response does not have.",
      remedy: "Use the name of a field of the response message, as declared.",
    },
    "response-body-differs": {
      meaning:
        "The `response_body` of an additional binding differs from the first binding's. All bindings of a method share one response decoder. A binding without `response_body` uses the `response_body` of the first binding.",
      remedy: "Use the same field in all bindings, or split the method in two.",
    },
    "binding-nested": {
      meaning:
        "An additional binding has its own additional bindings, which `google/api/http.proto` does not allow.",
      remedy: "Move these bindings one level up.",
    },
  },
  Paths: {
    "path-syntax": {
      meaning:
        "The path violates the syntax of `google/api/http.proto`, or contains characters that a path cannot contain.",
      remedy: "Correct the path at the reported character. Percent-encode anything that is not ASCII.",
    },
    "path-wildcard": {
      meaning:
        "`*` or `**` is used outside of a variable. A server accepts any value there, but a client has no value to send.",
      remedy: "Bind the wildcard to a field: `{field=*}`.",
    },
    "path-field": {
      meaning: "A path variable names a field that the request does not have.",
      remedy:
        "Use the name of a field of the request message, as declared. For a nested field, write `message.field`.",
    },
    "path-field-twice": {
      meaning: "Two variables of a path name the same field.",
      remedy: "Use a different field for each variable.",
    },
    "path-field-type": {
      meaning:
        "A path variable names a field that is a list, a map or a message. These types cannot be represented in a path.",
      remedy:
        "Use a string, a number, a bool or an enum. For a time, use a string, or an integer number of seconds. For a field of a message, write `{message.field}`.",
    },
  },
  Bodies: {
    "body-verb": {
      meaning: "A GET or HEAD request has a `body`. Many servers ignore the body or reject the request.",
      remedy: "Remove `body`, so that the fields are sent in the query, or use another verb.",
    },
    "body-field": {
      meaning: "`body` names a field that the request does not have.",
      remedy: 'Use the name of a field of the request message, as declared, or `body: "*"`.',
    },
    "body-field-in-path": {
      meaning: "The field that is the body is also a path variable.",
      remedy: "Use different fields for the body and the path.",
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
        "Declare the field as `google.api.HttpBody`, whose bytes are sent unchanged, or remove the header.",
    },
    "response-bytes": {
      meaning:
        "The response is read as bytes (`response_encoding: BYTES`), but the response message has no field for the bytes and would always be empty.",
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
        "A `google.protobuf.Struct`, `Value`, `ListValue` or `Any` can hold any JSON. `google/api/http.proto` does not define query parameters for this type.",
      remedy: "Move the field to a body.",
    },
    "query-recursion": {
      meaning: "A message that contains itself would need an unlimited number of query parameters.",
      remedy: "Move the field to a body.",
    },
    "in-type": {
      meaning: "A message is placed in a header, a cookie or a parameter, which can hold only strings.",
      remedy: "Use a scalar, or a list of scalars.",
    },
    "in-nested": {
      meaning:
        "`in` is set on a field of a nested message. Only fields of the request message itself may have `in`.",
      remedy: "Move the field to the request message, or remove `in`.",
    },
    "in-unused": {
      meaning:
        "`in` places a field in the path, the body, a part or the OAuth 1.0a signature, but no binding sends the field there, so the field would never be sent.",
      remedy: "Correct the HTTP rule or the credentials, or remove `in`.",
    },
    "query-oneof": {
      meaning:
        "A oneof with a discriminator is in a message that is sent in a query or form, where no parameter shows which member is set.",
      remedy: "Use a body, use `http: {nesting: BRACKETS}`, or give the members different names.",
    },
    "style-type": {
      meaning:
        "`style` is set on a field that has a single value, or on a list of messages, which cannot be written as strings.",
      remedy: "Remove the rule.",
    },
    "name-twice": {
      meaning:
        "Two values have the same name in the same part of a request: fields, constant parameters and headers, the API key, the `Authorization` header of the credentials, the parameters of an OAuth 1.0a signature, or the `Cookie` header of fields in COOKIE. The upstream would receive both values, or only one of them. Fields that exclude each other, in a oneof or by a constraint, may share a name. A header field may have the name of `idempotency_key`, and replaces the key.",
      remedy:
        "Give one of the values another `name`, or remove one. A field with the caller's credentials needs `credentials: NONE`.",
    },
    "header-name": {
      meaning:
        "A rule has an invalid header name (RFC 9110 section 5.1), or sets a header that the runtime itself sets. These are the headers of the connection, such as `Host` and `Content-Length`, and the headers `User-Agent` and `Accept-Encoding`, which are settings of the upstream.",
      remedy: "Correct the name, or remove the rule.",
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
        "The type of the field does not fit its `piece`. Names and content types must be strings; the content must be bytes or a string.",
      remedy: "Change the type of the field.",
    },
  },
};
