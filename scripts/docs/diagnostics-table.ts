/** What each problem of the generator means, and what to do about it. */

export interface Diagnostic {
  readonly meaning: string;
  readonly remedy: string;
  /**
   * For what stands in a service config: the file `shelf.yaml`, and what the generator says of it. Other problems have an
   * example among the tests of the generator.
   */
  readonly config?: { readonly source: string; readonly problem: string };
}

/** Problems by their codes, in groups. */
export const DIAGNOSTICS: Readonly<Record<string, Readonly<Record<string, Diagnostic>>>> = {
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
    "encoding-of-field": {
      meaning:
        "One field is the whole body, and a form or a multipart body is asked for. These need names of parts.",
      remedy: 'Use `body: "*"`.',
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
      remedy: "Set `style: SPREAD` for entries as parameters of their own, or put the field into a body.",
    },
    "query-repeated-message": {
      meaning: "A list of messages has no common form in a query.",
      remedy: "Put the field into a body, or place it by `in`.",
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
  },
  "Fields of answers": {
    "time-type": {
      meaning: "`time` is set for a field that is no `google.protobuf.Timestamp`.",
      remedy: "Change the type of the field, or take the rule away.",
    },
    "time-format": {
      meaning: "The `format` of a time has no year, so that it says no point in time.",
      remedy: "Write a pattern with `YYYY`, `MM`, `DD`, `HH`, `mm` and `ss`.",
    },
    "unwrap-type": {
      meaning: "`unwrap` is set for a field whose message is not a single list.",
      remedy: "Give the message one repeated field and no other, or take the rule away.",
    },
    "from-source": {
      meaning: "A source in `from` has neither `header`, `status` nor `path`.",
      remedy: "Add one.",
    },
    "unknown-twice": {
      meaning: "Two fields of a message collect unknown keys.",
      remedy: "Keep one.",
    },
    "unknown-type": {
      meaning: "`unknown` is set for a field that cannot hold any keys with any values.",
      remedy: "Use `map<string, string>` or `google.protobuf.Struct`.",
    },
    "type-unsupported": {
      meaning:
        "A type cannot be where it is: a `google.api.HttpBody` inside of JSON, or an answer that is no object.",
      remedy: "Wrap it in a message of your own; for bytes, make the `HttpBody` the whole body.",
    },
  },
  Oneofs: {
    discriminator: {
      meaning: "A oneof has `layout`, `payload` or `fallback`, but no key that chooses the member.",
      remedy: "Add `discriminator`, or take the other rules away.",
    },
    fallback: {
      meaning: "`fallback` names no member of the oneof.",
      remedy: "Name a member, as it is declared.",
    },
    payload: {
      meaning: "With `layout: BESIDE` the member's object stands under a key of its own, which is not named.",
      remedy: "Add `payload`.",
    },
    "when-twice": {
      meaning: "One value of the discriminator chooses two members.",
      remedy: "Take it away from one of them.",
    },
  },
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
      meaning: "The cursor has no path to its value, or the field that takes it cannot hold one.",
      remedy: "Add `path`; use a string, an integer or a Timestamp for the field.",
    },
    "poll-key": {
      meaning:
        "`poll` does not say what tells an item from others, so that news cannot be told from what was there.",
      remedy: "Add `key`.",
    },
  },
  "Service configs": {
    "config-file": {
      meaning:
        "A file that the option `service_config` names cannot be read. Paths are relative to the folder in which the compiler runs.",
      remedy: "Correct the path.",
      config: {
        source: "# there is no such file\n",
        problem:
          "shelf.yaml:1:1: config-file: the service config cannot be read: ENOENT: no such file or directory, open 'shelf.yaml'",
      },
    },
    "config-syntax": {
      meaning: "A service config is not YAML, and so not JSON either. The text is that of the YAML parser.",
      remedy: "Correct the file at that place.",
      config: {
        source: ["connectrest:", "  services: ["].join("\n"),
        problem:
          "shelf.yaml:3:1: config-syntax: Flow sequence in block collection must be sufficiently indented and end with a ]",
      },
    },
    "config-key": {
      meaning: "A key of a service config is not known. Keys are field names, as declared or in lowerCamel.",
      remedy: "Correct the name.",
      config: {
        source: [
          "connectrest:",
          "  methods:",
          "    - selector: shelf.v1.Shelf.GetBook",
          "      rules: { timeuot: 5s }",
        ].join("\n"),
        problem:
          "shelf.yaml:4:16: config-key: connectrest.methods[0].rules: unknown key `timeuot`; did you mean `timeout`?",
      },
    },
    "config-missing": {
      meaning: "A rule has no `selector`, or nothing that it says.",
      remedy: "Add it.",
      config: {
        source: ["connectrest:", "  services:", "    - rules: { upstream: shelf }"].join("\n"),
        problem:
          "shelf.yaml:3:7: config-missing: connectrest.services[0] has no `selector`, so it is for nothing",
      },
    },
    "config-selector": {
      meaning: "A selector is no full name, or selects nothing in the files of the run.",
      remedy:
        "Write the full name of a service, method, field, oneof or enum value, or end it with `.*` for all below.",
      config: {
        source: ["http:", "  rules:", "    - selector: shelf.v1.Shelf.GetBok", "      get: /books/{id}"].join(
          "\n",
        ),
        problem:
          "shelf.yaml:3:17: config-selector: `shelf.v1.Shelf.GetBok` selects no method of the files of this run; did you mean `shelf.v1.Shelf.GetBook`?",
      },
    },
    "config-twice": {
      meaning: "Two keys say the same thing, or are of one oneof, such as two verbs.",
      remedy: "Keep one; further paths go to `additional_bindings`.",
      config: {
        source: [
          "http:",
          "  rules:",
          "    - selector: shelf.v1.Shelf.GetBook",
          "      get: /books/{id}",
          "      post: /books",
        ].join("\n"),
        problem: "shelf.yaml:5:7: config-twice: http.rules[0]: `post` and `get` exclude each other; keep one",
      },
    },
    "config-type": {
      meaning: "A value has another type than its field.",
      remedy: "Write a value of the type that the text names.",
      config: {
        source: [
          "connectrest:",
          "  services:",
          "    - selector: shelf.v1.Shelf",
          "      rules: { upstream: 5 }",
        ].join("\n"),
        problem:
          "shelf.yaml:4:26: config-type: connectrest.services[0].rules.upstream: expected a string, got the number 5; put it in quotes",
      },
    },
    "config-value": {
      meaning: "A value is none that its field can have: an unknown name of an enum value, or no duration.",
      remedy: "Write one of the names, or a duration in seconds such as `1.5s`.",
      config: {
        source: [
          "connectrest:",
          "  services:",
          "    - selector: shelf.v1.Shelf",
          "      rules: { credentials: [API_KEZ] }",
        ].join("\n"),
        problem:
          "shelf.yaml:4:30: config-value: connectrest.services[0].rules.credentials[0]: expected a value of connectrest.v1.Credential.Kind, got the string `API_KEZ`; did you mean `API_KEY`?",
      },
    },
  },
};
