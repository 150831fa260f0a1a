import type { Diagnostics } from "./diagnostic.ts";

/** Problems of HTTP rules, paths, bodies and the places of a request. */
export const HTTP_DIAGNOSTICS: Diagnostics = {
  "HTTP rules": {
    "http-pattern-missing": {
      meaning: "A `google.api.http` option has neither `get`, `put`, `post`, `delete`, `patch` nor `custom`.",
      remedy: "Add the verb and its path, or take the option away.",
    },
    "http-verb": {
      meaning: "The `kind` of a `custom` pattern is no HTTP method in capitals (RFC 9110 section 9.1).",
      remedy: "Write the method as it is sent, e.g. `HEAD`.",
    },
    "binding-unreachable": {
      meaning:
        "Bindings are tried in order, and the first whose path variables the request fills is used. Whatever fills those of this one fills those of an earlier one. With `unsupported=skip` it is a warning.",
      remedy: "Put the binding with more variables first, or take one away.",
    },
    "response-body-field": {
      meaning: "`response_body` names a field that the response does not have.",
      remedy: "Name a field of the response message, as it is declared.",
    },
    "response-body-differs": {
      meaning:
        "An additional binding names a `response_body` that is not the one of the first. Answers are read in one way, whichever path was called. A binding that names none has that of the first.",
      remedy: "Name the same field in all bindings, or make two methods.",
    },
    "binding-nested": {
      meaning:
        "An additional binding has additional bindings itself, which `google/api/http.proto` does not allow.",
      remedy: "Put them beside it.",
    },
  },
  Paths: {
    "path-syntax": {
      meaning:
        "The path does not follow the syntax of `google/api/http.proto`, or has what no path can carry.",
      remedy: "Correct it at the character that the text names; percent-encode what is no ASCII.",
    },
    "path-wildcard": {
      meaning:
        "`*` or `**` stands outside of a variable. A server can take any value there, but a client has none to send.",
      remedy: "Name a field: `{field=*}`.",
    },
    "path-field": {
      meaning: "A path variable names a field that the request does not have.",
      remedy:
        "Name a field of the request message, as it is declared; fields of messages by `message.field`.",
    },
    "path-field-twice": {
      meaning: "Two variables of a path name the same field.",
      remedy: "Use two fields.",
    },
    "path-field-type": {
      meaning: "A path variable names a list, a map or a message, which have no text for a path.",
      remedy: "Use a string, a number, a bool or an enum.",
    },
  },
  Bodies: {
    "body-verb": {
      meaning: "A GET or HEAD request has a `body`. Many servers drop it or refuse the request.",
      remedy: "Take `body` away, so that the fields go to the query, or use another verb.",
    },
    "body-field": {
      meaning: "`body` names a field that the request does not have.",
      remedy: 'Name a field of the request message, as it is declared, or write `body: "*"`.',
    },
    "body-field-in-path": {
      meaning: "The field that is the body is a variable of the path too.",
      remedy: "Use two fields.",
    },
    "encoding-without-body": {
      meaning: "`request_encoding` says how the body is written, but the method has none.",
      remedy: 'Add `body: "*"`, or take the encoding away.',
    },
    "encoding-lines": {
      meaning: "Lines of JSON are asked for, and the body is not one repeated field.",
      remedy: "Name the field with the lines in `body`.",
    },
    "encoding-of-field": {
      meaning:
        "One field is the whole body, and a form or a multipart body is asked for. These need names of parts.",
      remedy: 'Use `body: "*"`.',
    },
    "response-bytes": {
      meaning:
        "The answer is read as bytes (`response_encoding: BYTES`), but the response has no place for them, and would always be empty.",
      remedy:
        "Name a field of type bytes in `response_body`, return `google.api.HttpBody`, or say EMPTY where nobody needs the body.",
    },
    "part-type": {
      meaning: "A field is placed in a PART, but its type has no content for one.",
      remedy:
        "Use bytes, a string, `google.api.HttpBody`, or a message with a field that has `piece: CONTENT`.",
    },
  },
  "Queries and other places": {
    "query-map": {
      meaning: "A map has no common form in a query.",
      remedy:
        "Set `style: SPREAD` for entries as parameters of their own, or `http: {nesting: BRACKETS}` for `map[key]=value`, or put the field into a body.",
    },
    "query-repeated-message": {
      meaning: "A list of messages has no common form in a query.",
      remedy:
        "Put the field into a body, place it by `in`, or set `http: {nesting: BRACKETS}` for `items[0][name]=value`.",
    },
    "query-type": {
      meaning:
        "A `google.protobuf.Struct`, `Value`, `ListValue` or `Any` can hold any JSON, and `google/api/http.proto` has no parameters for it.",
      remedy: "Put the field into a body.",
    },
    "query-recursion": {
      meaning: "A message that contains itself would have parameters without end.",
      remedy: "Put the field into a body.",
    },
    "in-type": {
      meaning: "A message is placed in a header, a cookie or a parameter, which carry text.",
      remedy: "Use a scalar, or a list of them.",
    },
    "in-nested": {
      meaning: "A field inside of another message has `in`. Only the fields of a request itself have places.",
      remedy: "Move the field to the request, or take the rule away.",
    },
    "in-unused": {
      meaning:
        "A field says that it is in the path, the body or a part, but no binding has it there. It would never be sent.",
      remedy: "Correct the HTTP rule, or take `in` away.",
    },
    "style-type": {
      meaning: "`style` is set for a field that has one value, or for messages, which have no text.",
      remedy: "Take the rule away.",
    },
    "name-twice": {
      meaning:
        "Two fields of a request, or a field and a constant parameter or the API key, have one name in one place. Fields that exclude each other, in a oneof or by a constraint, may share a name.",
      remedy: "Give one of them another `name`.",
    },
    "header-name": {
      meaning:
        "A rule names a header that is none (RFC 9110 section 5.1), or sets one that belongs to the connection, such as `Host` or `Content-Length`.",
      remedy: "Correct the name; headers of the connection are set by the runtime.",
    },
    "cookie-name": {
      meaning: "A field is placed in a cookie whose name is none (RFC 6265 section 4.1.1).",
      remedy: "Names are tokens: letters, digits and a few signs.",
    },
    "number-type": {
      meaning: "`number` is set for a field that is no 64-bit integer. Others are bare numbers always.",
      remedy: "Take the rule away.",
    },
    "bytes-type": {
      meaning: "`bytes` is set for a field that is not of type bytes.",
      remedy: "Take the rule away.",
    },
    "piece-type": {
      meaning:
        "A piece of a part cannot have the type of the field: names and types are strings, the content is bytes or a string.",
      remedy: "Change the type of the field.",
    },
  },
};
