import { type HttpRequest, type HttpResponse, sendResponse } from "../../listener/http.ts";
import { UNCACHED } from "../../listener/refusal.ts";

export const JSON_TYPE = "application/json";

/** Headers of what may hold secrets: nobody keeps it, and no other server learns of its address. */
export const SAFE = { ...UNCACHED, "referrer-policy": "no-referrer" } as const;

/** Sends JSON, or its length alone in response to HEAD. */
export function sendJson(
  { method }: HttpRequest,
  response: HttpResponse,
  status: number,
  value: object | string,
  headers: Readonly<Record<string, string>> = {},
): void {
  const body = typeof value === "string" ? value : JSON.stringify(value);
  const length = String(Buffer.byteLength(body));
  const all = { "content-type": JSON_TYPE, "content-length": length, ...SAFE, ...headers };
  sendResponse(response, status, all, method === "HEAD" ? "" : body);
}
