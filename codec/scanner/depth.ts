/** The nesting depth of the message being written. */

/** The limit of protobuf-es and of the JavaScript decoder. */
const MAX_DEPTH = 100;

let depth = 0;

export function beginDepth(): void {
  depth = 0;
}

/** Enters a nested message; returns false beyond the limit. */
export function descend(): bool {
  return ++depth < MAX_DEPTH;
}

export function ascend(): void {
  depth--;
}
