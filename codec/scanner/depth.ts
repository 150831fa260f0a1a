/** How deep the message is that is being written. */

/** What protobuf-es reads, and the JavaScript decoder writes. */
const MAX_DEPTH = 100;

let depth = 0;

export function beginDepth(): void {
  depth = 0;
}

/** Goes one message deeper; false where that is too deep. */
export function descend(): bool {
  return ++depth < MAX_DEPTH;
}

export function ascend(): void {
  depth--;
}
