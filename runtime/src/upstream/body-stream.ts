import { ChunkBuffer } from "connect-rest-codec/internal";
import { DecompressError } from "../http/decompress.ts";
import { decompressStream } from "../http/decompress-stream.ts";
import { BodyTooLarge, type Exchange, ExchangeFailed } from "../http/exchange.ts";
import type { OpenExchange } from "../http/open-exchange.ts";
import { decompressError, exchangeError, type FailureContext } from "./failure.ts";

/**
 * Yields the decompressed body of a response as it arrives, up to `maxDownloadBytes`.
 *
 * @throws ConnectError, or the reason of the exchange's signal
 */
export async function* bodyStream(
  { headers, body }: OpenExchange,
  context: FailureContext,
): AsyncGenerator<Uint8Array> {
  const encoding = headers["content-encoding"];
  try {
    yield* limited(
      encoding === undefined ? body : decompressStream(body, String(encoding)),
      context.settings.maxDownloadBytes,
    );
  } catch (error) {
    throw translated(error, context);
  } finally {
    await body.return?.();
  }
}

/**
 * Returns the first bytes of a body, for the text of an error. If they cannot be read, the call does not fail
 * for that reason.
 */
export async function beginningOf(
  { status, headers, body }: OpenExchange,
  maxBytes: number,
  signal: AbortSignal,
): Promise<Exchange> {
  const buffer = new ChunkBuffer();
  let incomplete: unknown;
  try {
    for await (const chunk of body) {
      buffer.push(chunk);
      if (buffer.size > maxBytes) throw new BodyTooLarge();
    }
  } catch (error) {
    signal.throwIfAborted();
    incomplete = error;
  }
  const whole = buffer.bytes().subarray(0, maxBytes);
  return { status, headers, body: whole, ...(incomplete !== undefined && { incomplete }) };
}

async function* limited(body: AsyncIterable<Uint8Array>, maxBytes: number): AsyncGenerator<Uint8Array> {
  let size = 0;
  for await (const chunk of body) {
    size += chunk.length;
    if (size > maxBytes) throw new ExchangeFailed(new BodyTooLarge(), { responded: true, sent: true });
    yield chunk;
  }
}

function translated(error: unknown, context: FailureContext): unknown {
  const { maxDownloadBytes: maxResponseBytes } = context.settings;
  const limits = { ...context, settings: { ...context.settings, maxResponseBytes } };
  if (error instanceof ExchangeFailed) return exchangeError(error, limits);
  return error instanceof DecompressError ? decompressError(error, limits) : error;
}
