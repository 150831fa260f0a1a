import {
  type DescExtension,
  type DescField,
  type DescFile,
  type DescMessage,
  type DescOneof,
  getExtension,
  hasExtension,
  type JsonObject,
  type JsonValue,
  type Message,
  toJson,
} from "@bufbuild/protobuf";
import type { GenExtension } from "@bufbuild/protobuf/codegenv2";

/**
 * The rules of protovalidate as JSON, `{"string": {"minLen": "1"}}`. They are read with the descriptor of the
 * extension in the request of the compiler, so the generator does not depend on protovalidate and works with
 * every version.
 */
export type ValidateRules = JsonObject;

const known = new WeakMap<DescFile, ReadonlyMap<string, DescExtension>>();

/** Returns buf.validate.field; undefined if it is not set. */
export function fieldRulesOf(desc: DescField): ValidateRules | undefined {
  return rulesOf(desc, desc.parent.file, "buf.validate.field");
}

/** Returns buf.validate.oneof; undefined if it is not set. */
export function oneofRulesOf(desc: DescOneof): ValidateRules | undefined {
  return rulesOf(desc, desc.parent.file, "buf.validate.oneof");
}

/** Returns buf.validate.message; undefined if it is not set. */
export function messageRulesOf(desc: DescMessage): ValidateRules | undefined {
  return rulesOf(desc, desc.file, "buf.validate.message");
}

function isObject(value: JsonValue | undefined): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function rulesOf(
  desc: DescField | DescOneof | DescMessage,
  file: DescFile,
  name: string,
): ValidateRules | undefined {
  const extension = extensionsOf(file).get(name) as GenExtension<Message, Message> | undefined;
  const options: Message | undefined = desc.proto.options;
  if (extension?.message === undefined || options === undefined) return undefined;
  if (!hasExtension(options, extension)) return undefined;
  const json = toJson(extension.message, getExtension(options, extension));
  return isObject(json) ? json : undefined;
}

/** Returns the extensions of buf.validate that a file imports, directly or indirectly. */
function extensionsOf(file: DescFile): ReadonlyMap<string, DescExtension> {
  const found = known.get(file);
  if (found !== undefined) return found;
  const all = [file, ...file.dependencies].flatMap((each) =>
    each.proto.package === "buf.validate" ? each.extensions : [],
  );
  const extensions = new Map(all.map((extension) => [extension.typeName, extension]));
  known.set(file, extensions);
  return extensions;
}
