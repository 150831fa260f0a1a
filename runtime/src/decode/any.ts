/** google.protobuf.Any: its JSON names a type, which must be among those that the adapter knows. */
import {
  createRegistry,
  type DescFile,
  fromJson,
  type JsonValue as ProtoJsonValue,
  type Registry,
  toJson,
} from "@bufbuild/protobuf";
import { type Any, AnySchema } from "@bufbuild/protobuf/wkt";
import type { JsonObject, JsonValue } from "../json/json.ts";
import { rawJson } from "../json/raw-json.ts";
import type { Decode } from "./proto-writer.ts";

/** The types of a file and of everything that it imports; made when first asked for. */
export function typesOf(file: DescFile): () => Registry {
  let registry: Registry | undefined;
  return () => {
    registry ??= createRegistry(...withDependencies(file, new Set()));
    return registry;
  };
}

function withDependencies(file: DescFile, seen: Set<DescFile>): DescFile[] {
  if (seen.has(file)) return [];
  seen.add(file);
  return [file, ...file.dependencies.flatMap((dependency) => withDependencies(dependency, seen))];
}

/** The decoder of a google.protobuf.Any. One of an unknown type is left out, and reported. */
export function decodeAny(types: () => Registry): Decode {
  return (json, out) => {
    out.allKeys(json);
    if (rawJson(json).rounded) {
      out.rounded("", "exact integers", json);
      return;
    }
    try {
      const any = fromJson(AnySchema, plain(json), { registry: types(), ignoreUnknownFields: true });
      out.string(1, any.typeUrl, "@type");
      out.rawBytes(2, any.value);
    } catch {
      out.drop("", "google.protobuf.Any of a known type", json);
    }
  };
}

/** A google.protobuf.Any as ProtoJSON. */
export function anyJson(any: Any, types: () => Registry): JsonValue {
  return toJson(AnySchema, any, { registry: types() });
}

/** protobuf-es takes no bigint in JSON, but 64-bit integers as strings. */
function plain(json: JsonObject): ProtoJsonValue {
  return JSON.parse(
    JSON.stringify(json, (_key, value: unknown) => (typeof value === "bigint" ? String(value) : value)),
  );
}
