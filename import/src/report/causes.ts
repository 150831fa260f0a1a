/** The causes of losses in an import, each followed by the type or the behavior that replaces it. */
export const CAUSES = {
  // the type of the field allows more than the document
  "union-indistinct": "a union whose alternatives cannot be distinguished: google.protobuf.Value",
  "union-in-parameter": "a union with objects in a parameter: a string",
  tuple: "a list of items of different types by position, in a form or query: google.protobuf.ListValue",
  "typed-additional": "additional properties with a type, next to declared properties: JSON strings",
  "json-parameter": "a path variable or cookie with JSON, or a parameter in another media type: a string",
  "delimited-parameter": "a list in one parameter with a delimiter other than a comma: a string",
  "object-parameter": "an object in a parameter that is neither exploded nor deep: a string",
  "list-in-path": "a list in a path: a string",
  "two-variables": "several variables without text between them: a single variable",
  "too-deep": "an inline schema that is nested too deeply: google.protobuf.Value",
  // the type is exact, but a property of the schema is lost
  "null-in-request": "null and a missing value are the same in requests: null is not sent",
  "null-in-tuple": "an optional item of a list in requests: null is sent if only a later item is set",
  "empty-key": "a property with an empty name: omitted",
  "invalid-name": "a name that is repeated, has a line break, or is invalid for a header or cookie: omitted",
  "undeclared-key": "a required key that no property declares: omitted",
  "large-integers": "integers and fractions in one union: a double, which rounds integers above 2^53",
  "merged-alternatives": "objects that cannot be distinguished: one message with the fields of all",
  "other-content": "other media types of a body: omitted",
  "other-response": "other success responses: omitted",
  "body-of-get": "a body of GET or HEAD: omitted",
  "several-credentials": "several credentials for one request: only the first one is sent",
  "credentials-kind": "an unsupported security scheme: omitted",
  "unknown-parameter": "a path parameter that is not in the path: omitted",
  "undeclared-variable": "a path variable that no parameter declares: a string",
  "protocol-header": "a header that HTTP clients set: omitted",
  callbacks: "callbacks and webhooks: omitted",
  links: "links from responses to operations: omitted",
  server: "a server whose address has variables without defaults: the server of the document",
  "credential-parameter": "a parameter that contains the API key: sent from the credentials of the upstream",
  "alternative-limits": "limits of strings or numbers that are alternatives of a union: not checked",
  pattern: "a pattern that RE2 does not accept: not checked",
  "likely-pages": "a list that may have pages: not streamed, unless --paginate adds this rule",
  "unread-pages": "a key and a parameter that look like a cursor, but fit no rule: not streamed",
  verb: "a TRACE operation, which is not supported: omitted",
  path: "an operation whose path repeats a variable or has unsafe segments: omitted",
  "path-fragment": "a fragment in a path, which is not sent: omitted",
} as const;

export type Cause = keyof typeof CAUSES;

/** The causes that make the type of a field allow more than the document. */
export const WEAKENING: ReadonlySet<Cause> = new Set<Cause>([
  "union-indistinct",
  "union-in-parameter",
  "tuple",
  "typed-additional",
  "json-parameter",
  "delimited-parameter",
  "object-parameter",
  "list-in-path",
  "two-variables",
  "too-deep",
]);
