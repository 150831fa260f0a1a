/**
 * A type whose values cannot be changed at any depth. For a message, it omits the internal properties of
 * protobuf-es.
 */
export type Frozen<T> = T extends string | number | boolean | bigint | symbol | null | undefined
  ? T
  : T extends ReadonlyArray<infer Item>
    ? ReadonlyArray<Frozen<Item>>
    : { readonly [Key in keyof T as Key extends `$${string}` ? never : Key]: Frozen<T[Key]> };

/** Freezes a model and all values in it, except descriptors, which are not part of the model. */
export function freeze<T>(value: T): T {
  if (typeof value !== "object" || value === null || Object.isFrozen(value) || isDescriptor(value)) {
    return value;
  }
  Object.freeze(value);
  // a map cannot be frozen, but its type prevents changes
  const inner = value instanceof Map ? value.values() : Object.values(value);
  for (const each of inner) freeze(each);
  return value;
}

function isDescriptor(value: object): boolean {
  return "kind" in value && "proto" in value;
}
