import http from "node:http";
import type { AddressInfo } from "node:net";

/** An upstream for `echo-rest.ts` that follows instructions in the text of its requests. */
export interface TalkativeUpstream {
  readonly url: string;
  close(): Promise<void>;
}

/**
 * Starts the upstream. A text of two words is an instruction: `status 404`, `long 5000` (a response with this
 * number of letters), `never ever` (no response), `header x-ratelimit-remaining`, `broken json`. Any other
 * text is returned. At `/repeat` the text is returned `count` times, as JSON lines; `fails now` ends with a
 * record that is an error, and `cut off` ends in the middle of a record.
 */
export async function startTalkativeUpstream(): Promise<TalkativeUpstream> {
  const server = http.createServer(async (request, response) => {
    const chunks: Uint8Array[] = [];
    for await (const chunk of request) chunks.push(chunk);
    respondTalkatively(request, Buffer.concat(chunks), response);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

/** Responds to one request as the upstream does. */
export function respondTalkatively(
  { url }: http.IncomingMessage,
  body: Buffer,
  response: http.ServerResponse,
): void {
  const { text = "", count = 0 } = JSON.parse(body.toString()) as {
    readonly text?: string;
    readonly count?: number;
  };
  if (url === "/repeat") {
    repeat(text, count, response);
  } else {
    answer(text, response);
  }
}

function answer(text: string, response: http.ServerResponse): void {
  const [wish, value = ""] = text.split(" ");
  response.setHeader("content-type", "application/json");
  if (wish === "status") {
    response.writeHead(Number(value)).end('{"message":"as you wished — “sorry”"}');
  } else if (wish === "long") {
    response.end(JSON.stringify({ text: "é".repeat(Number(value) / 2) }));
  } else if (wish === "header") {
    response.setHeader(value, "42").end(JSON.stringify({ text }));
  } else if (wish === "broken") {
    response.end("{");
  } else if (wish !== "never") response.end(JSON.stringify({ text }));
}

function repeat(text: string, count: number, response: http.ServerResponse): void {
  const [wish, value = ""] = text.split(" ");
  const line = (content: string) => `${JSON.stringify({ text: content })}\n`;
  const lines = (content: string) => Array.from({ length: count }, () => line(content)).join("");
  response.setHeader("content-type", "application/x-ndjson");
  if (wish === "status" || wish === "never") {
    answer(text, response);
  } else if (wish === "long") {
    response.end(lines("é".repeat(Number(value) / 2)));
  } else if (wish === "header") {
    response.setHeader(value, "42").end(lines(text));
  } else if (wish === "broken") {
    response.end(`${lines(text)}{`);
  } else if (wish === "fails") {
    response.end(`${lines(text)}{"error":{"message":"no more","code":5}}\n`);
  } else if (wish === "cut") {
    response
      .writeHead(200, { "content-length": "100000" })
      .write(`${lines(text)}{"te`, () => response.destroy());
  } else {
    response.end(lines(text));
  }
}
