import http from "node:http";
import type { Target } from "../load/connection.ts";
import { PAGES } from "../pages.ts";

export const LIST_POSTS = "/blog.v1.PostService/ListPosts";
export const DEAF = "/blog.v1.BlogService/GetBlogInfo";

/** The page that the upstreams send, as JSON. */
export const PAGE = PAGES[0]?.json ?? "";

/** A request for the page. */
export const REQUEST = JSON.stringify({ blogIdentifier: "demo", limit: 1 });

/** The same request for the load generator. */
export function target(port: number): Target {
  const headers = [["content-type", "application/json"]] as const;
  return { protocol: "http1", port, method: "POST", path: LIST_POSTS, headers, body: Buffer.from(REQUEST) };
}

/** Options of a call. */
export interface CallOptions {
  readonly path?: string;
  readonly body?: string | Uint8Array;
  readonly headers?: Readonly<Record<string, string>>;
  readonly agent?: http.Agent;
  readonly signal?: AbortSignal;
}

/** The result of a call. */
export interface CallResponse {
  /** The HTTP status; 0 without a response. */
  readonly status: number;
  readonly body: string;
  readonly ms: number;
}

/** Makes a Connect call with JSON over HTTP/1.1. Never rejects. */
export function call(port: number, options: CallOptions = {}): Promise<CallResponse> {
  const { path = LIST_POSTS, body = REQUEST, headers, agent, signal } = options;
  const startedAt = performance.now();
  return new Promise((resolve) => {
    const done = (status: number, text: string) =>
      resolve({ status, body: text, ms: performance.now() - startedAt });
    const all = { "content-type": "application/json", ...headers, "content-length": Buffer.byteLength(body) };
    const request = http.request(
      { host: "127.0.0.1", port, path, method: "POST", headers: all, agent, signal },
      (response) => {
        let text = "";
        response.setEncoding("utf8").on("data", (chunk: string) => {
          text += chunk;
        });
        response.on("error", () => done(0, text)).on("end", () => done(response.statusCode ?? 0, text));
      },
    );
    request.on("error", (error) => done(0, String(error)));
    request.end(body);
  });
}

/** Makes calls with limited concurrency, and returns their responses. */
export async function calls(
  count: number,
  atOnce: number,
  make: () => Promise<CallResponse>,
): Promise<CallResponse[]> {
  const responses: CallResponse[] = [];
  let started = 0;
  const worker = async () => {
    while (started++ < count) responses.push(await make());
  };
  await Promise.all(Array.from({ length: atOnce }, worker));
  return responses;
}
