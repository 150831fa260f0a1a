import http from "node:http";
import type { AddressInfo } from "node:net";

/** An upstream for `echo-rest.ts` that does what the text it gets asks for. */
export interface TalkativeUpstream {
  readonly url: string;
  close(): Promise<void>;
}

/**
 * Starts it. A text of two words is a wish: `status 404`, `long 5000` (a response of so many letters), `never ever` (no
 * response), `header x-ratelimit-remaining`, `broken json`. Everything else comes back.
 */
export async function startTalkativeUpstream(): Promise<TalkativeUpstream> {
  const server = http.createServer(async (request, response) => {
    const chunks: Uint8Array[] = [];
    for await (const chunk of request) chunks.push(chunk);
    const { text = "" } = JSON.parse(Buffer.concat(chunks).toString()) as { readonly text?: string };
    answer(text, response);
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
