import type { DescMethod } from "@bufbuild/protobuf";

/** `package.Service/Method`, the path of a method without its first slash. */
export function methodPath(method: DescMethod): string {
  return `${method.parent.typeName}/${method.name}`;
}

/** `package.Service.Method`, the full name of a method, as messages for people have it. */
export function methodName(method: DescMethod): string {
  return `${method.parent.typeName}.${method.name}`;
}
