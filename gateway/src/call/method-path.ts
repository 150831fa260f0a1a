import type { DescMethod } from "@bufbuild/protobuf";

/** Made once: as the same string they are found fast wherever they are keys. */
const PATHS = new WeakMap<DescMethod, string>();

/** `package.Service/Method`, the path of a method without its first slash. */
export function methodPath(method: DescMethod): string {
  const known = PATHS.get(method);
  if (known !== undefined) return known;
  const path = `${method.parent.typeName}/${method.name}`;
  PATHS.set(method, path);
  return path;
}
