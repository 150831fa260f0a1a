import type { DescMessage } from "@bufbuild/protobuf";
import type { Direction, JsonSchema } from "./json-schema.ts";

/** How ProtoJSON writes the well-known types. The wrappers are not here: each is as the value in it. */
const WELL_KNOWN: Readonly<Record<string, JsonSchema>> = {
  "google.protobuf.Timestamp": { type: "string", format: "date-time" },
  "google.protobuf.Duration": { type: "string", pattern: "^-?[0-9]+(\\.[0-9]{1,9})?s$" },
  "google.protobuf.FieldMask": {
    type: "string",
    pattern: "^([a-z][a-zA-Z0-9]*([.,][a-z][a-zA-Z0-9]*)*)?$",
  },
  "google.protobuf.Struct": { type: "object" },
  "google.protobuf.Value": {},
  "google.protobuf.ListValue": { type: "array" },
  "google.protobuf.Empty": { type: "object", additionalProperties: false },
  "google.protobuf.Any": {
    type: "object",
    properties: { "@type": { type: "string" } },
    required: ["@type"],
  },
};

/** What is printed otherwise than a sender should write it. */
const PRINTED: Readonly<Record<string, JsonSchema>> = {
  // any text that is no path in lowerCamelCase comes from an upstream
  "google.protobuf.FieldMask": { type: "string" },
  // one that holds nothing is {}
  "google.protobuf.Any": { type: "object", properties: { "@type": { type: "string" } } },
};

const WRAPPERS: ReadonlySet<string> = new Set(
  ["Double", "Float", "Int64", "UInt64", "Int32", "UInt32", "Bool", "String", "Bytes"].map(
    (name) => `google.protobuf.${name}Value`,
  ),
);

/** google.protobuf.StringValue and its siblings: in JSON the bare value. */
export function isWrapper(desc: DescMessage): boolean {
  return WRAPPERS.has(desc.typeName);
}

/** The schema of a message that ProtoJSON writes in a way of its own; undefined for others. */
export function wellKnownSchema({ typeName }: DescMessage, direction: Direction): JsonSchema | undefined {
  if (direction === "output" && Object.hasOwn(PRINTED, typeName)) return PRINTED[typeName];
  return Object.hasOwn(WELL_KNOWN, typeName) ? WELL_KNOWN[typeName] : undefined;
}
