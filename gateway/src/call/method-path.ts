import type { DescMethod } from "@bufbuild/protobuf";

/** Caches paths, since a Map lookup is faster with the identical string object. */
const PATHS = new WeakMap<DescMethod, string>();

/** Returns `package.Service/Method`, the path of a method without its leading slash. */
export function methodPath(method: DescMethod): string {
  const known = PATHS.get(method);
  if (known !== undefined) return known;
  const path = `${method.parent.typeName}/${method.name}`;
  PATHS.set(method, path);
  return path;
}
