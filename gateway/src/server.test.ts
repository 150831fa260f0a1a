import { createClient, type Transport } from "@connectrpc/connect";
import {
  createConnectTransport,
  createGrpcTransport,
  createGrpcWebTransport,
} from "@connectrpc/connect-node";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { EchoService } from "./gen/echo/v1/echo_pb.ts";
import { type Server, startServer } from "./server.ts";
import { echoService } from "./testing/echo.ts";

let server: Server;
beforeAll(async () => {
  server = await startServer({ ...echoService });
});
afterAll(() => server.close());

const transports: Record<string, (httpVersion: "1.1" | "2") => Transport> = {
  connect: (httpVersion) => createConnectTransport({ baseUrl: server.url, httpVersion }),
  "connect json": (httpVersion) =>
    createConnectTransport({ baseUrl: server.url, httpVersion, useBinaryFormat: false }),
  "connect get": (httpVersion) =>
    createConnectTransport({ baseUrl: server.url, httpVersion, useHttpGet: true }),
  grpc: () => createGrpcTransport({ baseUrl: server.url }),
  "grpc-web": (httpVersion) => createGrpcWebTransport({ baseUrl: server.url, httpVersion }),
};

describe.each(Object.keys(transports))("%s", (name) => {
  describe.each(["1.1", "2"] as const)("over HTTP/%s", (httpVersion) => {
    const client = () =>
      createClient(EchoService, (transports[name] as never as (v: string) => Transport)(httpVersion));

    test("serves a unary call", async () => {
      expect((await client().echo({ text: "hello" })).text).toBe("hello");
    });

    test("serves a stream of responses", async () => {
      const texts: string[] = [];
      for await (const { text } of client().repeat({ text: "again", count: 3 })) texts.push(text);
      expect(texts).toEqual(["again", "again", "again"]);
    });

    test("serves a stream of requests", async () => {
      async function* parts() {
        yield { text: "a" };
        yield { text: "b" };
      }
      expect((await client().join(parts())).text).toBe("ab");
    });

    test("compresses a long request and a long response", async () => {
      const text = "x".repeat(100_000);
      expect(
        (await client().echo({ text: text.slice(0, name === "connect get" ? 1000 : undefined) })).text.length,
      ).toBeGreaterThan(999);
    });
  });
});
