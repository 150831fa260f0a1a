/** Freezes a model with all that it holds. Descriptors stay as they are: they are not the model's own. */
export function freeze<T>(value: T): T {
  if (typeof value !== "object" || value === null || Object.isFrozen(value) || isDescriptor(value)) {
    return value;
  }
  Object.freeze(value);
  // a map cannot be frozen; its type lets nobody change it
  const inner = value instanceof Map ? value.values() : Object.values(value);
  for (const each of inner) freeze(each);
  return value;
}

function isDescriptor(value: object): boolean {
  return "kind" in value && "proto" in value;
}
