import type { JsonValue, ScannedPage } from "connect-rest-codec/internal";
import { parseJson, parseJsonExactly, parseJsonVerbatim, valueAt } from "connect-rest-codec/internal";
import { type Body, EMPTY_BODY } from "./body.ts";

/**
 * Returns the body of a page whose items have already been read. Its list has the right length, but holes in
 * place of the items, except for the last item if that item is needed. Returns undefined if there is no list
 * at the path.
 */
export function bodyOfPage(
  bytes: Uint8Array,
  { items, start, end, lastItem }: ScannedPage,
  path: string,
  wantsLast: boolean,
): Body | undefined {
  const text = (from: number, to: number) =>
    Buffer.from(bytes.buffer, bytes.byteOffset + from, to - from).toString();
  const last = wantsLast && items.length > 0 ? text(lastItem, end) : "]";
  const value = parseJson(`${text(0, start)}[${last}${text(end, bytes.length)}`);
  const list = path === "" ? value : valueAt(value, path);
  if (!Array.isArray(list)) return undefined;
  spread(list, items.length);
  const whole = () => text(0, bytes.length);
  return {
    ...EMPTY_BODY,
    value,
    exactly: () => parseJsonExactly(whole()),
    verbatim: () => parseJsonVerbatim(whole()),
  };
}

/** Extends the list to `length`, and moves its only item, if there is one, to the end. */
function spread(list: JsonValue[], length: number): void {
  const [last] = list;
  list.length = 0;
  list.length = length;
  if (last !== undefined) list[length - 1] = last;
}
