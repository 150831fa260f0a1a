/** The nesting depth of the current message. */

/** The maximum nesting depth, the same as in protobuf-es and in the JavaScript decoder. */
const MAX_DEPTH = 100;

export let depth = 0;

export function beginDepth(): void {
  depth = 0;
}

/** Enters a nested message. Returns false if that exceeds the maximum depth. */
export function descend(): bool {
  return ++depth < MAX_DEPTH;
}

export function ascend(): void {
  depth--;
}

/** Continues at a depth after a value that could not be read. */
export function setDepth(to: i32): void {
  depth = to;
}
