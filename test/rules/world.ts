import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import type { DescService } from "@bufbuild/protobuf";
import { type Client, createClient } from "@connectrpc/connect";
import {
  createRestTransport,
  type Difference,
  type RestOptions,
  type ServiceAdapter,
} from "connect-rest-runtime";
import { afterEach } from "vitest";

/** A request as received. */
export interface Seen {
  /** The verb and the target of the request, as sent. */
  readonly line: string;
  /** Lines `name: value` as sent, in order, without the headers that every request has. */
  readonly headers: readonly string[];
  /** All headers. */
  readonly allHeaders: readonly string[];
  readonly body: Buffer;
  /** The body, decoded as UTF-8. */
  readonly text: string;
}

/** The upstream's response: JSON, or a literal body. Default: 200, `{}`. */
export interface Answer {
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string | readonly string[]>>;
  readonly json?: unknown;
  readonly body?: string | Uint8Array;
  /** Writes the body in chunks. */
  readonly write?: (response: ServerResponse) => void;
}

/** A response to all requests, a list of consecutive responses, or a function of the request. */
export type Answers = Answer | readonly Answer[] | ((seen: Seen, index: number) => Answer | Promise<Answer>);

type Upstream = RestOptions["upstreams"][string];

/** Options of a transport and its upstream. */
export interface Settings extends Omit<Partial<RestOptions>, "adapters" | "upstreams"> {
  readonly upstream?: Upstream | ((origin: string) => Upstream);
}

/** A client, and records of its calls. */
export interface World<S extends DescService> {
  readonly client: Client<S>;
  readonly seen: readonly Seen[];
  readonly differences: readonly Difference[];
  readonly origin: string;
}

const OPEN: Array<() => Promise<unknown>> = [];

afterEach(async () => {
  for (const close of OPEN.splice(0).reverse()) await close();
});

/**
 * Starts an upstream that records requests, and a client that calls the upstream, by default in strict mode.
 */
export async function start<S extends DescService>(
  service: S,
  adapter: ServiceAdapter,
  answers: Answers = {},
  { upstream, ...options }: Settings = {},
): Promise<World<S>> {
  const seen: Seen[] = [];
  const differences: Difference[] = [];
  const origin = await listen(async (request, response) => {
    const now = seen.push(await recorded(request)) - 1;
    send(response, await answerOf(answers, seen[now] as Seen, now));
  });
  const names = new Set(Object.values(adapter.methods).map(({ rules }) => rules.upstream));
  const own = typeof upstream === "function" ? upstream(origin) : upstream;
  const transport = createRestTransport({
    adapters: [adapter],
    upstreams: Object.fromEntries([...names].map((name) => [name, { baseUrl: origin, ...own }])),
    strict: true,
    onDifference: (report) => differences.push(...report.differences),
    ...options,
  });
  OPEN.push(() => transport.close());
  return { client: createClient(service, transport), seen, differences, origin };
}

type Listener = (request: IncomingMessage, response: ServerResponse) => Promise<void>;

async function listen(listener: Listener): Promise<string> {
  const server = createServer((request, response) => {
    listener(request, response).catch((error: Error) => response.destroy(error));
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  OPEN.push(async () => {
    server.closeAllConnections();
    server.close();
    await once(server, "close");
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

const ON_EVERY_REQUEST: ReadonlySet<string> = new Set(
  "host connection user-agent accept accept-encoding content-length transfer-encoding".split(" "),
);

async function recorded(request: IncomingMessage): Promise<Seen> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  const body = Buffer.concat(chunks);
  const pairs = request.rawHeaders.flatMap((name, index, all) =>
    index % 2 === 0 ? [[name, all[index + 1] ?? ""] as const] : [],
  );
  const text = ([name, value]: readonly [string, string]) => `${name}: ${value}`;
  return {
    line: `${request.method} ${request.url}`,
    headers: pairs.filter(([name]) => !ON_EVERY_REQUEST.has(name.toLowerCase())).map(text),
    allHeaders: pairs.map(text),
    body,
    text: body.toString(),
  };
}

function answerOf(answers: Answers, seen: Seen, index: number): Answer | Promise<Answer> {
  if (typeof answers === "function") return answers(seen, index);
  if (!isList(answers)) return answers;
  const answer = answers[index];
  if (answer === undefined) throw new Error(`expected ${answers.length} requests, got ${seen.line}`);
  return answer;
}

function isList(answers: Answer | readonly Answer[]): answers is readonly Answer[] {
  return Array.isArray(answers);
}

function send(
  response: ServerResponse,
  { status = 200, headers = {}, json = {}, body, write }: Answer,
): void {
  const type = body === undefined && write === undefined ? { "content-type": "application/json" } : {};
  for (const [name, value] of Object.entries({ ...type, ...headers })) response.setHeader(name, value);
  response.statusCode = status;
  if (write !== undefined) {
    write(response);
    return;
  }
  response.end(body ?? (status === 204 || status === 304 ? undefined : JSON.stringify(json)));
}
