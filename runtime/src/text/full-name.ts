import type { DescMethod } from "@bufbuild/protobuf";

const KNOWN = new WeakMap<DescMethod, string>();

/** Returns the full name of an RPC method: `blog.v1.BlogService.GetInfo`. */
export function fullName(method: DescMethod): string {
  const known = KNOWN.get(method);
  if (known !== undefined) return known;
  // returns the same string object each time, since many tables are indexed by it
  const name = `${method.parent.typeName}.${method.name}`;
  KNOWN.set(method, name);
  return name;
}
