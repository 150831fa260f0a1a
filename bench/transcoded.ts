import { readFileSync } from "node:fs";
import {
  createFileRegistry,
  type DescMessage,
  fromBinary,
  fromJsonString,
  type JsonObject,
  type JsonValue,
  toJson,
} from "@bufbuild/protobuf";
import { FileDescriptorSetSchema } from "@bufbuild/protobuf/wkt";
import { DESCRIPTORS } from "./go.ts";
import type { Page } from "./pages.ts";
import type { Response } from "./response.ts";

/**
 * Compares a page with the output of a transcoding gateway. The output must have exactly the keys of the
 * schema, with the values of the page.
 */
export function checkTranscoded(response: Response, page: Page): string | undefined {
  const schema = responseSchema();
  const message =
    "json" in response
      ? fromJsonString(schema, quoted(response.json), { ignoreUnknownFields: true })
      : fromBinary(schema, response.bytes);
  const json = toJson(schema, message, { useProtoFieldName: true }) as JsonObject;
  const { posts } = json.response as { posts: JsonObject[] };
  const exact = posts.every(({ id }, index) => id === String(page.ids[index]));
  if (!exact || posts.length !== page.posts) return "its ids are not those of the page";
  const expected = JSON.parse(quoted(page.json)) as JsonObject;
  return stated(json) === stated(known(schema, expected)) ? undefined : "it has another content";
}

/** Returns JSON with IDs as strings, which JSON.parse does not round. */
function quoted(json: string): string {
  return json.replace(/"id":(\d+)/g, '"id":"$1"');
}

function responseSchema(): DescMessage {
  const files = createFileRegistry(fromBinary(FileDescriptorSetSchema, readFileSync(DESCRIPTORS)));
  const schema = files.getMessage("bench.v1.ListPostsResponse");
  if (schema === undefined) throw new Error(`${DESCRIPTORS} lacks bench.v1.ListPostsResponse`);
  return schema;
}

/** Returns the members of a JSON object that the schema declares. */
function known(schema: DescMessage, json: JsonObject): JsonObject {
  const entries = schema.fields.flatMap((field): [string, JsonValue][] => {
    const value = json[field.name];
    if (value === undefined) return [];
    const read = (each: JsonValue) => (field.message ? known(field.message, each as JsonObject) : each);
    return [[field.name, Array.isArray(value) ? value.map(read) : read(value)]];
  });
  return Object.fromEntries(entries);
}

/** Returns a canonical text of a message: sorted keys, 64-bit numbers as strings, and no default values. */
function stated(json: JsonValue): string {
  return JSON.stringify(json, (key, value) => {
    if (key !== "" && ["", 0, "0", false, null].includes(value as string)) return undefined;
    if (typeof value === "number") return String(value);
    if (typeof value !== "object" || value === null || Array.isArray(value)) return value;
    return Object.fromEntries(Object.entries(value).toSorted(([a], [b]) => (a < b ? -1 : 1)));
  });
}
