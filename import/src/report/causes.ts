/** The causes of losses in an import, each with the replacement. */
export const CAUSES = {
  // the type of the field allows more than the document
  "union-indistinct": "a union whose alternatives nothing tells apart: google.protobuf.Value",
  "union-in-parameter": "a union with objects in a parameter: text",
  "null-in-list": "a list or map whose items may be null: google.protobuf.Value",
  tuple: "a list of items of different types by position: google.protobuf.ListValue",
  "typed-additional": "further keys with a type, next to properties: their values as JSON text",
  "json-parameter": "a parameter in a media type, in a path or a cookie, or other than JSON: text",
  "delimited-parameter": "a list in one parameter with a delimiter other than a comma: text",
  "object-parameter": "an object in a parameter that is neither exploded nor deep: text",
  "list-in-path": "a list in a path: text",
  "two-variables": "several variables in one segment of a path: one variable for all of them",
  "too-deep": "an inline schema below too many others: google.protobuf.Value",
  // the type is exact, but a property of the schema is lost
  "null-in-request": "null and absent are alike in requests: null is not sent",
  "empty-key": "a property with an empty name: left out",
  "empty-enum-value": "an empty text among the values of an enum: left out",
  "merged-alternatives": "objects that nothing tells apart: one message with the fields of all",
  "other-content": "further media types of a body: left out",
  "other-response": "further responses of success: left out",
  "body-of-get": "a body of GET or HEAD: left out",
  "several-credentials": "several credentials at once: the first is sent",
  "credentials-kind": "a security scheme that is not sent: left out",
  "unknown-parameter": "a parameter that the path does not have: left out",
  "undeclared-variable": "a variable of the path that no parameter declares: text",
  "protocol-header": "a header that HTTP clients set: left out",
  callbacks: "callbacks and webhooks: left out",
  verb: "TRACE, which is not called: left out",
  "path-fragment": "a fragment of a path, which is not sent: left out",
} as const;

export type Cause = keyof typeof CAUSES;

/** The causes that make the type of a field allow more than the document. */
export const WEAKENING: ReadonlySet<Cause> = new Set<Cause>([
  "union-indistinct",
  "union-in-parameter",
  "null-in-list",
  "tuple",
  "typed-additional",
  "json-parameter",
  "delimited-parameter",
  "object-parameter",
  "list-in-path",
  "two-variables",
  "too-deep",
]);
