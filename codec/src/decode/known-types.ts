/** The message types that google.protobuf.Any can contain. */
import { createRegistry, type DescFile, type DescMessage, type Registry } from "@bufbuild/protobuf";
import { nestedTypes } from "@bufbuild/protobuf/reflect";
import {
  file_google_protobuf_any,
  file_google_protobuf_duration,
  file_google_protobuf_empty,
  file_google_protobuf_field_mask,
  file_google_protobuf_struct,
  file_google_protobuf_timestamp,
  file_google_protobuf_wrappers,
} from "@bufbuild/protobuf/wkt";
import type { Work } from "../time/work.ts";

/** The well-known types. */
const WELL_KNOWN_FILES: readonly DescFile[] = [
  file_google_protobuf_any,
  file_google_protobuf_duration,
  file_google_protobuf_empty,
  file_google_protobuf_field_mask,
  file_google_protobuf_struct,
  file_google_protobuf_timestamp,
  file_google_protobuf_wrappers,
];

/** Returns a registry of the types in the files, their imports and the well-known files. */
export function typesOfFiles(files: readonly DescFile[], others: readonly DescMessage[] = []): Registry {
  const all = new Set<DescFile>();
  for (const file of [...WELL_KNOWN_FILES, ...files]) addWithDependencies(file, all);
  // messages only: protobuf-es would print registered extensions, but the fast path would not
  const messages = [...all].flatMap((file) =>
    [...nestedTypes(file)].filter((type) => type.kind === "message"),
  );
  return createRegistry(...messages, ...others);
}

function addWithDependencies(file: DescFile, into: Set<DescFile>): void {
  if (into.has(file)) return;
  into.add(file);
  for (const dependency of file.dependencies) addWithDependencies(dependency, into);
}

let scope: Registry | undefined;

/** Runs a synchronous function in which decoding and encoding can also resolve these types. */
export function withTypes<T>(types: Registry, act: () => T): T {
  const before = scope;
  scope = types;
  try {
    return act();
  } finally {
    scope = before;
  }
}

/** Wraps work so that all of its steps can also resolve these types. */
export function* typed<T>(work: Work<T>, types: Registry): Work<T> {
  try {
    for (;;) {
      const step = withTypes(types, () => work.next());
      if (step.done === true) return step.value;
      yield step.value;
    }
  } finally {
    work.return(undefined as never);
  }
}

const joined = new WeakMap<Registry, WeakMap<Registry, Registry>>();

/**
 * Returns a registry of these types and the types of the running call. If both contain a type name, `own`
 * takes precedence.
 */
export function knownTypes(own: Registry): Registry {
  if (scope === undefined || scope === own) return own;
  const known = joined.get(own)?.get(scope);
  if (known !== undefined) return known;
  const both = createRegistry(scope, own);
  const others = joined.get(own) ?? new WeakMap<Registry, Registry>();
  joined.set(own, others.set(scope, both));
  return both;
}
