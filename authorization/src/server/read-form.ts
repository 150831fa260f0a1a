import type { HttpExchange, HttpRequest } from "../host.ts";
import { OAuthError } from "./oauth-error.ts";

export interface BodyLimits {
  /** The maximum length of the body, in bytes. */
  readonly maxBytes: number;
  /** The maximum pause between two chunks, in milliseconds. */
  readonly idleTimeoutMs: number;
}

/**
 * Reads the body of a request as UTF-8.
 *
 * @throws OAuthError if the body is too large, stalls or is compressed
 */
export function readText({ request, body }: HttpExchange, limits: BodyLimits): Promise<string> {
  const { maxBytes, idleTimeoutMs } = limits;
  if (request.headers["content-encoding"] !== undefined) {
    return Promise.reject(new OAuthError(415, "invalid_request", "the body must not be compressed"));
  }
  const tooLarge = () => new OAuthError(413, "invalid_request", `the body exceeds ${maxBytes} bytes`);
  if (Number(request.headers["content-length"] ?? 0) > maxBytes) return Promise.reject(tooLarge());
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let bytes = 0;
    const stalled = () => reject(new OAuthError(408, "invalid_request", "the body did not arrive in time"));
    const timer = setTimeout(stalled, idleTimeoutMs);
    const onData = (chunk: Buffer) => {
      timer.refresh();
      bytes += chunk.length;
      if (bytes > maxBytes) {
        finish();
        reject(tooLarge());
      } else {
        chunks.push(chunk);
      }
    };
    const onEnd = () => {
      finish();
      resolve(Buffer.concat(chunks).toString());
    };
    const onClose = () => {
      finish();
      reject(new OAuthError(400, "invalid_request", "the body is incomplete"));
    };
    const finish = () => {
      clearTimeout(timer);
      body.off("data", onData).off("end", onEnd).off("close", onClose);
    };
    body.on("data", onData).on("end", onEnd).on("close", onClose);
  });
}

/**
 * Reads a form (`application/x-www-form-urlencoded`). Rejects with an OAuthError for another type of body.
 */
export async function readForm(exchange: HttpExchange, limits: BodyLimits): Promise<URLSearchParams> {
  if (!isType(exchange.request, "application/x-www-form-urlencoded")) {
    throw new OAuthError(400, "invalid_request", "the body must be application/x-www-form-urlencoded");
  }
  return new URLSearchParams(await readText(exchange, limits));
}

/** Reports whether a request has a content type, with any parameters. */
export function isType(request: HttpRequest, type: string): boolean {
  return (request.headers["content-type"] ?? "").split(";", 1)[0]?.trim().toLowerCase() === type;
}
