import { Callbacks } from "../listener/callbacks.ts";
import { cut, type HttpResponse, isGone, outgoing, sendResponse } from "../listener/http.ts";
import type { Origin } from "../listener/origin.ts";

/**
 * The parts of a page. All requests for the page share them, so that unread responses need no additional
 * memory.
 */
export type Parts = readonly Uint8Array[];

/**
 * The placeholder for the host of the request: a character that occurs neither in hosts nor in readable text.
 */
const HOST_MARK = "\u0000";

/** The size of one write, in bytes. */
const SLICE_BYTES = 16 * 1024;

/** Returns the parts of a string. */
export function textParts(text: string): Parts {
  return [Buffer.from(text)];
}

/**
 * Creates a function that returns the parts of a page for a request. The page is rendered once per scheme,
 * and the request's host is inserted between the parts.
 */
export function createPageTemplate(render: (url: string) => string): (origin: Origin) => Parts {
  const rendered = new Map<Origin["scheme"], Parts>();
  return ({ scheme, authority }) => {
    const parts =
      rendered.get(scheme) ?? render(`${scheme}://${HOST_MARK}`).split(HOST_MARK).flatMap(textParts);
    rendered.set(scheme, parts);
    const host = Buffer.from(authority);
    return parts.flatMap((part, index) => (index === 0 ? [part] : [host, part]));
  };
}

/** Sends a page as fast as its client reads it. Header names are in lower case. */
export function sendParts(
  response: HttpResponse,
  status: number,
  headers: Readonly<Record<string, string>>,
  parts: Parts,
): void {
  if (parts.length === 0) {
    sendResponse(response, status, headers);
    return;
  }
  if (isGone(response)) return;
  response.statusCode = status;
  for (const [name, value] of Object.entries(headers)) response.setHeader(name, value);
  const slices = slicesOf(parts);
  const write = () => {
    for (let slice = slices.next(); !isGone(response); slice = slices.next()) {
      if (slice.done === true) {
        stop();
        response.end();
        return;
      }
      if (!(response as NodeJS.WritableStream).write(slice.value)) return;
    }
  };
  const callbacks = new Callbacks(() => cut(response));
  const stop = callbacks.on(outgoing(response), "drain", write);
  write();
}

/** Yields the parts in slices of at least SLICE_BYTES. */
function* slicesOf(parts: Parts): Generator<Uint8Array, undefined> {
  let slice: Uint8Array[] = [];
  let size = 0;
  for (const part of parts) {
    slice.push(part);
    size += part.length;
    if (size < SLICE_BYTES) continue;
    yield Buffer.concat(slice);
    slice = [];
    size = 0;
  }
  if (size > 0) yield Buffer.concat(slice);
}
