import type { DescMessage } from "@bufbuild/protobuf";
import type { JsonSchema } from "./json-schema.ts";

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

/** The schema of a message that ProtoJSON writes in a way of its own; undefined for others. */
export function wellKnownSchema(desc: DescMessage): JsonSchema | undefined {
  return Object.hasOwn(WELL_KNOWN, desc.typeName) ? WELL_KNOWN[desc.typeName] : undefined;
}
