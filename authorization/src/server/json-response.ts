import { type HttpExchange, SAFE } from "../host.ts";

export const JSON_TYPE = "application/json";

/** Sends JSON, or only its length in a response to HEAD. */
export function sendJson(
  exchange: HttpExchange,
  status: number,
  value: object | string,
  headers: Readonly<Record<string, string>> = {},
): void {
  const body = typeof value === "string" ? value : JSON.stringify(value);
  const length = String(Buffer.byteLength(body));
  const all = { "content-type": JSON_TYPE, "content-length": length, ...SAFE, ...headers };
  exchange.send(status, all, exchange.request.method === "HEAD" ? "" : body);
}
