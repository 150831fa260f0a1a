import { create, toBinary } from "@bufbuild/protobuf";
import { Code, ConnectError } from "@connectrpc/connect";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { type EchoRequest, EchoRequestSchema, EchoService } from "../gen/echo/v1/echo_pb.ts";
import { createLogger } from "../log/logger.ts";
import { envelopes } from "../protocol/envelope.ts";
import { type Server, startServer } from "../server.ts";
import { errorOf } from "../testing/error-of.ts";
import { type RawClient, rawClient } from "../testing/raw-call.ts";

const MESSAGE = toBinary(EchoRequestSchema, create(EchoRequestSchema, { text: "a", count: 1 }));
const ENVELOPE = envelopes([0, MESSAGE]);

/** Methods, content types and the headers by which clients accept compressions. */
const WAYS = [
  ["Connect, unary", "Echo", "application/proto", "accept-encoding", MESSAGE],
  ["Connect, stream", "Repeat", "application/connect+proto", "connect-accept-encoding", ENVELOPE],
  ["gRPC-Web, unary", "Echo", "application/grpc-web+proto", "grpc-accept-encoding", ENVELOPE],
  ["gRPC-Web, stream", "Repeat", "application/grpc-web+proto", "grpc-accept-encoding", ENVELOPE],
] as const;

let server: Server;
let client: RawClient;
let text = "";
const lines: Record<string, unknown>[] = [];
beforeAll(async () => {
  const fail = (_: EchoRequest) => {
    throw new ConnectError(text, Code.DataLoss, { "x-own": "kept" });
  };
  server = await startServer({
    hosts: ["*"],
    routes: (router) =>
      router.service(EchoService, {
        echo: fail,
        // biome-ignore lint/correctness/useYield: it fails before
        repeat: async function* (request) {
          fail(request);
        },
      }),
    log: createLogger("info", { write: (line) => lines.push(JSON.parse(line)) }),
    limits: { drainNoticeMs: 1, drainGraceMs: 50 },
  });
  client = rawClient(server.port);
});
afterAll(async () => {
  client.close();
  await server.close();
});
beforeEach(() => {
  lines.length = 0;
});

test.each(WAYS)(
  "%s: an error and its log line are the same whether or not the client accepts compression",
  async (_, method, type, accept, body) => {
    for (const length of [1, 900, 1100, 4000, 5000, 70_000]) {
      text = "long ".repeat(length).slice(0, length);
      const errors: unknown[] = [];
      for (const encoding of ["identity", "gzip", "br"]) {
        const headers = { "content-type": type, [accept]: encoding };
        const path = `/echo.v1.EchoService/${method}`;
        const response = await client.send({ version: "1.1", method: "POST", path, headers, body });
        const error = errorOf(response);
        const own = error?.metadata.get("x-own") ?? response.headers["x-own"];
        errors.push([error?.code, error?.rawMessage, error?.details, own]);
      }
      expect(errors).toEqual([errors[0], errors[0], errors[0]]);
      expect(errors[0]).toMatchObject([Code.DataLoss, expect.any(String), [], "kept"]);
    }
    await expect.poll(() => lines.filter(({ msg }) => msg === "call").length).toBe(18);
    expect(new Set(lines.map(({ code }) => code))).toEqual(new Set(["data_loss"]));
  },
);
