import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { Code, createClient, type Transport } from "@connectrpc/connect";
import {
  createConnectTransport,
  createGrpcTransport,
  createGrpcWebTransport,
} from "@connectrpc/connect-node";
import { reasonOf, Secret } from "connect-rest-runtime";
import {
  bearerInterceptor,
  Session,
  signIn,
  TokenFile,
  tokenFromEnvironment,
} from "connect-rest-runtime/oauth";
import { afterAll, beforeAll, expect, test } from "vitest";
import { EchoService } from "../../gateway/src/gen/echo/v1/echo_pb.ts";
import { runCli } from "../../gateway/src/testing/child.ts";
import { failureOf } from "../../runtime/src/testing/failure.ts";
import { httpUpstream } from "../../runtime/src/testing/servers.ts";
import { visit } from "./browser.ts";
import { startTestGateway, type TestGateway } from "./gateway.ts";

const directory = mkdtempSync(path.join(tmpdir(), "connect-rest-our-client-"));
let gateway: TestGateway;
beforeAll(async () => {
  gateway = await startTestGateway();
});
afterAll(async () => {
  await gateway.close();
  rmSync(directory, { recursive: true });
});

const open = (url: URL) => {
  void visit(url);
};
let files = 0;
const newFile = () => new TokenFile(path.join(directory, `tokens-${files++}.json`));

const TRANSPORTS: Record<string, (session: Session) => Transport> = {
  connect: (session) =>
    createConnectTransport({
      baseUrl: gateway.url,
      httpVersion: "1.1",
      interceptors: [bearerInterceptor(session)],
    }),
  "connect by HTTP/2": (session) =>
    createConnectTransport({
      baseUrl: gateway.url,
      httpVersion: "2",
      interceptors: [bearerInterceptor(session)],
    }),
  grpc: (session) =>
    createGrpcTransport({ baseUrl: gateway.url, interceptors: [bearerInterceptor(session)] }),
  "grpc-web": (session) =>
    createGrpcWebTransport({
      baseUrl: gateway.url,
      httpVersion: "1.1",
      interceptors: [bearerInterceptor(session)],
    }),
};

test.each(Object.keys(TRANSPORTS))(
  "calls carry the token, which is refreshed if the gateway rejects it: %s",
  async (name) => {
    const file = newFile();
    const status = await signIn(gateway.url, file, { open });
    expect(status).toMatchObject({ resource: gateway.url, isRefreshable: true });
    await spoil(file);
    const session = new Session(gateway.url, file);
    const client = createClient(
      EchoService,
      (TRANSPORTS[name] ?? TRANSPORTS.connect)?.(session) as Transport,
    );
    const calls = Array.from({ length: 5 }, (_, index) => client.echo({ text: String(index) }));
    expect((await Promise.all(calls)).map(({ text }) => text)).toEqual(["0", "1", "2", "3", "4"]);
    expect(await gateway.echo((await session.get()).reveal())).toBe(200);
    await session.end();
    const error = await failureOf(client.echo({ text: "two" }));
    expect(reasonOf(error)).toBe("OAUTH_SIGN_IN_NEEDED");
  },
);

/** Replaces the token in a file with an unknown one, as if the gateway had lost the token. */
async function spoil(file: TokenFile): Promise<void> {
  await file.update(gateway.url, (entry) => {
    if (entry?.tokens === undefined) throw new Error("nobody has signed in");
    return { ...entry, tokens: { ...entry.tokens, accessToken: new Secret("unknown-at-the-gateway") } };
  });
}

test("a client stream is not retried, since its messages are consumed, but the next call has a new token", async () => {
  const file = newFile();
  await signIn(gateway.url, file, { open });
  await spoil(file);
  const session = new Session(gateway.url, file);
  const transport = TRANSPORTS.grpc?.(session) as Transport;
  const client = createClient(EchoService, transport);
  let read = 0;
  async function* messages() {
    read++;
    yield { text: "one" };
  }
  const error = await failureOf(client.join(messages()));
  expect([error.code, read]).toEqual([Code.Unauthenticated, 1]);
  expect((await client.join(messages())).text).toBe("one");
});

test("a server stream is retried once if it has not sent a message", async () => {
  const file = newFile();
  await signIn(gateway.url, file, { open });
  for (const name of Object.keys(TRANSPORTS)) {
    await spoil(file);
    const client = createClient(EchoService, TRANSPORTS[name]?.(new Session(gateway.url, file)) as Transport);
    const texts = [];
    for await (const { text } of client.repeat({ text: "one", count: 2 })) texts.push(text);
    expect(texts).toEqual(["one", "one"]);
  }
});

test("no request of a client has its token in the URL", async () => {
  const seen: string[] = [];
  const server = await httpUpstream((request, response) => {
    seen.push(`${request.url} ${request.headers.authorization}`);
    response.writeHead(200, { "content-type": "application/proto" }).end();
  });
  const token = new Secret("a-token-of-a-test");
  const tokens = { origin: server.url, get: async () => token, another: async () => undefined };
  const interceptors = [bearerInterceptor(tokens)];
  const options = { baseUrl: server.url, httpVersion: "1.1", interceptors } as const;
  const client = createClient(EchoService, createConnectTransport({ ...options, useHttpGet: true }));
  await client.echo({ text: "one" });
  await server[Symbol.asyncDispose]();
  expect(seen).toEqual([
    expect.stringMatching(/^\/echo\.v1\.EchoService\/Echo\S* Bearer a-token-of-a-test$/),
  ]);
  expect(seen.join().split(" ")[0]).not.toContain("a-token");
});

test("a token is sent only to the server that issued it", async () => {
  const session = new Session("https://gateway.example", newFile());
  const client = createClient(EchoService, TRANSPORTS.connect?.(session) as Transport);
  const error = await failureOf(client.echo({ text: "one" }));
  expect(error.rawMessage).toBe(
    `the token of a call: expected calls of https://gateway.example, got ${gateway.url}`,
  );
});

test("a token from the environment is used unchanged, and only for one server", async () => {
  expect(tokenFromEnvironment(gateway.url, { CONNECT_REST_ACCESS_TOKEN: " " })).toBeUndefined();
  const tokens = tokenFromEnvironment(gateway.url, { CONNECT_REST_ACCESS_TOKEN: "t" });
  expect([tokens?.origin, (await tokens?.get())?.reveal()]).toEqual([gateway.url, "t"]);
});

test("the command line signs in to the gateway, prints a valid token, and revokes it", async () => {
  const env = { CONNECT_REST_TOKEN_FILE: path.join(directory, "cli.json") };
  const login = runCli(["login", gateway.url, "--no-browser", "--scope", "echo"], directory, env);
  await visit(await login.line(/^http/));
  expect([await login.exit, login.output().stderr]).toEqual([0, ""]);
  const token = runCli(["token", gateway.url], directory, env);
  await token.exit;
  const text = token.output().stdout.trim();
  expect(await gateway.echo(text)).toBe(200);
  const logout = runCli(["logout", gateway.url], directory, env);
  expect([await logout.exit, logout.output().stderr]).toEqual([0, ""]);
  expect(await gateway.echo(text)).toBe(401);
});
