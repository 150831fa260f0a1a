import http from "node:http";
import { create, toBinary } from "@bufbuild/protobuf";
import { Code, ConnectError, type ConnectRouter, createClient } from "@connectrpc/connect";
import {
  createConnectTransport,
  createGrpcTransport,
  createGrpcWebTransport,
} from "@connectrpc/connect-node";
import { BadRequestSchema } from "connect-rest-runtime/gen/google/rpc/error_details_pb.js";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { EchoResponseSchema, EchoService } from "../gen/echo/v1/echo_pb.ts";
import { createLogger } from "../log/logger.ts";
import { type Server, startServer } from "../server.ts";
import { echoRoutes } from "../testing/echo.ts";
import type { UnaryMethod } from "./call-unary.ts";

let server: Server;
let method: UnaryMethod;
const LINES: Record<string, unknown>[] = [];

beforeAll(async () => {
  server = await startServer({
    routes: (router: ConnectRouter) => echoRoutes(router),
    unaryOf: () => (message, context) => method(message, context),
    limits: { drainNoticeMs: 1 },
    log: createLogger("info", { write: (line: string) => LINES.push(JSON.parse(line)) }),
  });
});
beforeEach(() => {
  LINES.length = 0;
});
afterAll(() => server.close());

const transports = {
  Connect: () => createConnectTransport({ baseUrl: server.url, httpVersion: "1.1" }),
  gRPC: () => createGrpcTransport({ baseUrl: server.url }),
  "gRPC-Web": () => createGrpcWebTransport({ baseUrl: server.url, httpVersion: "1.1" }),
};

describe.each(Object.entries(transports))("over %s", (_, transport) => {
  const failure = () =>
    createClient(EchoService, transport())
      .echo({ text: "a" })
      .then(String, (error: unknown) => error);

  test("a defect becomes an internal error for the caller, and the log contains the defect's cause", async () => {
    method = () => Promise.reject(new TypeError("s3cret"));
    expect(String(await failure())).toBe("ConnectError: [internal] internal error");
    expect(LINES).toMatchObject([{ code: "internal", cause: expect.stringContaining("TypeError: s3cret") }]);
  });

  test("an error whose details cannot be encoded is reported as an internal error, and affects no other call", async () => {
    const value = Object.defineProperty({}, "fieldViolations", {
      enumerable: true,
      get: () => {
        throw new Error("no such field");
      },
    });
    const detail = { desc: BadRequestSchema, value };
    method = () => Promise.reject(new ConnectError("no", Code.Aborted, undefined, [detail]));
    expect(await failure()).toMatchObject({ code: Code.Internal });
    expect(LINES).toMatchObject([{ code: "internal" }]);
  });

  test("the metadata of an error is sent with the error", async () => {
    method = () => Promise.reject(new ConnectError("wait", Code.Unavailable, { "x-wait": "5" }));
    const error = await failure();
    expect(error).toMatchObject({ code: Code.Unavailable, rawMessage: "wait" });
    expect((error as ConnectError).metadata.get("x-wait")).toBe("5");
  });

  test("the method receives the request headers and the deadline", async () => {
    method = async (_message, { header, expiresAt }) => {
      const leftMs = expiresAt - performance.now();
      const text = `${header().get("x-mine")} ${leftMs > 0 && leftMs <= 7000}`;
      const bytes = toBinary(EchoResponseSchema, create(EchoResponseSchema, { text }));
      return { bytes, header: new Headers({ "x-theirs": "2" }) };
    };
    let theirs: string | null = null;
    const options = {
      headers: { "x-mine": "1" },
      timeoutMs: 7000,
      onHeader: (headers: Headers) => {
        theirs = headers.get("x-theirs");
      },
    };
    const { text } = await createClient(EchoService, transport()).echo({ text: "a" }, options);
    expect([text, theirs]).toEqual(["1 true", "2"]);
  });
});

test("a call ends when its client disconnects", async () => {
  const running = Promise.withResolvers<void>();
  const ended = Promise.withResolvers<unknown>();
  method = (_message, { signal }) => {
    signal.addEventListener("abort", () => ended.resolve(signal.reason), { once: true });
    running.resolve();
    return new Promise(() => undefined);
  };
  const request = http.request(`${server.url}/echo.v1.EchoService/Echo`, {
    method: "POST",
    headers: { "content-type": "application/json" },
  });
  request.on("error", () => undefined).end("{}");
  await running.promise;
  request.destroy();
  expect(await ended.promise).toMatchObject({ code: Code.Canceled, rawMessage: "the client hung up" });
});
