/** The message types by which google.protobuf.Any is resolved. */
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

/** Returns the types of files and their imports, and the well-known types. */
export function typesOfFiles(files: readonly DescFile[], others: readonly DescMessage[] = []): Registry {
  const all = new Set<DescFile>();
  for (const file of [...WELL_KNOWN_FILES, ...files]) addWithDependencies(file, all);
  // messages only: with extensions in the registry protobuf-es would print them, and the fast path would
  // not
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

/** Runs a synchronous function; everything that it decodes and encodes can also resolve these types. */
export function withTypes<T>(types: Registry, act: () => T): T {
  const before = scope;
  scope = types;
  try {
    return act();
  } finally {
    scope = before;
  }
}

/** Returns work that can also resolve these types, in all of its turns. */
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

/** Returns these types and the types of the running call; of two types with one name, the first counts. */
export function knownTypes(own: Registry): Registry {
  if (scope === undefined || scope === own) return own;
  const known = joined.get(own)?.get(scope);
  if (known !== undefined) return known;
  const both = createRegistry(scope, own);
  const others = joined.get(own) ?? new WeakMap<Registry, Registry>();
  joined.set(own, others.set(scope, both));
  return both;
}
