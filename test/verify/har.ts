/** Records the calls of connect-rest.yaml to the sandbox as HAR entries. */
import {
  type DescMessage,
  type DescMethod,
  type DescMethodUnary,
  fromJson,
  type JsonValue,
} from "@bufbuild/protobuf";
import type { Transport } from "@connectrpc/connect";
import { createRestTransport, type RestOptions } from "connect-rest-runtime";
import { CREDENTIALS, startSandbox } from "connect-rest-sandbox";
import { methodPath } from "../../gateway/src/call/method-path.ts";
import { prepareDryRun } from "../../gateway/src/config/inspect.ts";

/** An entry of a HAR file, as far as tests change it. */
export interface HarEntry {
  readonly request: {
    readonly method: string;
    readonly url: string;
    readonly headers: readonly HarPair[];
    readonly postData?: { readonly mimeType: string; readonly text: string };
  };
  readonly response: {
    readonly status: number;
    readonly headers: readonly HarPair[];
    readonly content: {
      readonly size: number;
      readonly mimeType: string;
      readonly text?: string;
      readonly encoding?: string;
    };
  };
}

interface HarPair {
  readonly name: string;
  readonly value: string;
}

/** The address of the API in the recordings. */
export const ORIGIN = "https://api.blog.example";

/** The longest that a watch is recorded, in milliseconds. */
const WATCH_MS = 300;

/** Returns a HAR file. */
export function harOf(entries: readonly unknown[]): string {
  const creator = { name: "test", version: "1" };
  return JSON.stringify({ log: { version: "1.2", creator, pages: [{ id: "entries" }], entries } }, null, 1);
}

interface ExampleOptions {
  readonly recorder?: RestOptions["recorder"];
  /** Changes the JSON bodies of responses. */
  readonly change?: (body: unknown) => unknown;
}

/** Calls every method of connect-rest.yaml with its example, and returns the exchanges. */
export async function recordExamples({ recorder, change }: ExampleOptions = {}): Promise<HarEntry[]> {
  const { adapters, config } = await prepareDryRun("connect-rest.yaml", {});
  const sandbox = await startSandbox({ port: 0 });
  const entries: HarEntry[] = [];
  const fetchRecorded = recordingFetch(entries, sandbox.url, change);
  const { consumerKey, consumerSecret, oauth1Token, oauth1TokenSecret } = CREDENTIALS;
  const oauth1 = { consumerKey, consumerSecret, token: oauth1Token, tokenSecret: oauth1TokenSecret };
  const transport = createRestTransport({
    adapters,
    recorder,
    upstreams: {
      blog: {
        baseUrl: sandbox.url,
        rateLimits: false,
        fetch: fetchRecorded,
        credentials: { apiKey: consumerKey, oauth1, oauth2: { accessToken: CREDENTIALS.userToken } },
      },
      events: {
        baseUrl: sandbox.feedUrl,
        fetch: fetchRecorded,
        credentials: { oauth2: { accessToken: CREDENTIALS.feedToken } },
      },
    },
  });
  const methods = adapters.flatMap((adapter) => Object.values(adapter.methods).map(({ method }) => method));
  try {
    for (const [path, example] of Object.entries(config.examples)) {
      const method = methods.find((each) => methodPath(each) === path);
      if (method !== undefined) await called(transport, method, example as JsonValue);
    }
  } finally {
    await transport.close();
    await sandbox.close();
  }
  return entries;
}

async function called(transport: Transport, method: DescMethod, example: JsonValue): Promise<void> {
  const message = fromJson<DescMessage>(method.input, example);
  try {
    if (isUnary(method)) {
      await transport.unary(method, undefined, undefined, undefined, message);
    } else {
      const signal = AbortSignal.timeout(WATCH_MS);
      const input = single(message);
      const { message: items } = await transport.stream(
        method as never,
        signal,
        undefined,
        undefined,
        input as never,
      );
      for await (const _ of items);
    }
  } catch {
    // errors are exchanges, too
  }
}

function isUnary(method: DescMethod): method is DescMethodUnary {
  return method.methodKind === "unary";
}

async function* single<T>(value: T) {
  yield value;
}

/** Returns a `fetch` that records whole exchanges, with the public address of the API. */
function recordingFetch(entries: HarEntry[], url: string, change: ExampleOptions["change"]): typeof fetch {
  return async (input, init) => {
    const address = String(input);
    const response = await fetch(address, init);
    const received = Buffer.from(await response.arrayBuffer());
    const mimeType = response.headers.get("content-type") ?? "";
    const bytes = change === undefined ? received : changed(received, mimeType, change);
    const sent = new Headers(init?.headers);
    const isText = /json|text/.test(mimeType);
    entries.push({
      request: {
        method: init?.method ?? "GET",
        url: address.replace(url, ORIGIN),
        headers: pairsOf(sent),
        ...(init?.body instanceof Uint8Array && {
          postData: { mimeType: sent.get("content-type") ?? "", text: Buffer.from(init.body).toString() },
        }),
      },
      response: {
        status: response.status,
        headers: pairsOf(response.headers).map(({ name, value }) => ({
          name,
          value: value.replaceAll(url, ORIGIN),
        })),
        content: {
          size: bytes.length,
          mimeType,
          text: isText ? bytes.toString().replaceAll(url, ORIGIN) : bytes.toString("base64"),
          ...(!isText && { encoding: "base64" }),
        },
      },
    });
    const hasBody = ![204, 205, 304].includes(response.status);
    return new Response(hasBody ? bytes : null, { status: response.status, headers: response.headers });
  };
}

function changed(body: Buffer, mimeType: string, change: (body: unknown) => unknown): Buffer {
  if (!/\/json/.test(mimeType) || body.length === 0) return body;
  return Buffer.from(JSON.stringify(change(JSON.parse(body.toString()))));
}

function pairsOf(headers: Headers): HarPair[] {
  return Array.from(headers, ([name, value]) => ({ name, value }));
}
