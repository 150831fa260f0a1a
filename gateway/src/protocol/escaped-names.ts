/** Finds fields whose JSON names need an escape: `json_name = "a\"b"`. */
import type { DescMessage, Registry } from "@bufbuild/protobuf";

const NAMES = new WeakMap<DescMessage, ReadonlySet<string>>();
const REGISTERED = new WeakMap<Registry, ReadonlySet<string>>();
const NONE: ReadonlySet<string> = new Set();

/**
 * Returns the escaped names of the fields of a message, of its nested messages, and of the types allowed in a
 * google.protobuf.Any. The result is cached per message type and registry.
 */
export function escapedNames(desc: DescMessage, types: Registry | undefined): ReadonlySet<string> {
  const own = kept(NAMES, desc, () => namesBelow([desc]));
  const packed = types === undefined ? NONE : kept(REGISTERED, types, () => namesBelow(messagesOf(types)));
  return packed.size === 0 ? own : new Set([...own, ...packed]);
}

function kept<K extends object, V>(known: WeakMap<K, V>, key: K, find: () => V): V {
  const value = known.get(key) ?? find();
  known.set(key, value);
  return value;
}

function messagesOf(types: Registry): DescMessage[] {
  return [...types].filter((type) => type.kind === "message");
}

function namesBelow(messages: readonly DescMessage[]): ReadonlySet<string> {
  const names = new Set<string>();
  const seen = new Set(messages);
  // the set grows during the iteration
  for (const { fields } of seen) {
    for (const { jsonName, message } of fields) {
      if (JSON.stringify(jsonName) !== `"${jsonName}"`) names.add(jsonName);
      if (message !== undefined) seen.add(message);
    }
  }
  return names;
}
