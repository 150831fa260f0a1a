import type { DescMethod } from "@bufbuild/protobuf";

/** The full name of an RPC method: `blog.v1.BlogService.GetInfo`. */
export function fullName(method: DescMethod): string {
  return `${method.parent.typeName}.${method.name}`;
}
