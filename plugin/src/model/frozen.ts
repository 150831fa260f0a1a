/** A type without anything that could be changed, at any depth; for a message, without what protobuf-es keeps in it. */
export type Frozen<T> = T extends string | number | boolean | bigint | symbol | null | undefined
  ? T
  : T extends ReadonlyArray<infer Item>
    ? ReadonlyArray<Frozen<Item>>
    : { readonly [Key in keyof T as Key extends `$${string}` ? never : Key]: Frozen<T[Key]> };

/**
 * Freezes a model and all objects and arrays in it. Descriptors are left as they are: they belong to the registry. A Map
 * cannot be frozen; its type keeps it from being changed.
 */
export function freeze<T>(model: T): T {
  if (typeof model !== "object" || model === null || Object.isFrozen(model) || isDescriptor(model))
    return model;
  Object.freeze(model);
  for (const value of Object.values(model)) freeze(value);
  return model;
}

function isDescriptor(value: object): boolean {
  return "proto" in value && "kind" in value;
}
