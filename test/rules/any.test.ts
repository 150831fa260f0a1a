import { create, createRegistry, type JsonValue, toJson } from "@bufbuild/protobuf";
import { anyPack, anyUnpack, StructSchema } from "@bufbuild/protobuf/wkt";
import { Code, createClient, type Transport } from "@connectrpc/connect";
import {
  createConnectTransport,
  createGrpcTransport,
  createGrpcWebTransport,
} from "@connectrpc/connect-node";
import { ErrorInfoSchema } from "connect-rest-runtime/gen/google/rpc/error_details_pb.js";
import { expect, test } from "vitest";
import { startGateway } from "../../gateway/src/gateway.ts";
import { failureOf } from "../../runtime/src/testing/failure.ts";
import { AnyService, type Operation, VolumeSchema } from "../gen/rules/v1/any_pb.ts";
import { AnyServiceRest } from "../gen/rules/v1/any_rest.ts";
import { ForeignSchema, file_rules_v1_foreign } from "../gen/rules/v1/foreign_pb.ts";
import { type Answer, start } from "./world.ts";

const URL_PREFIX = "type.googleapis.com/";
const VOLUME = { "@type": `${URL_PREFIX}rules.v1.Volume`, title: "Walden", pages: "352" };
const FOREIGN = { "@type": `${URL_PREFIX}rules.v1.Foreign`, name: "f" };
const INFO = { "@type": `${URL_PREFIX}google.rpc.ErrorInfo`, reason: "R", domain: "d" };
const KEPT = {
  "@type": `${URL_PREFIX}google.protobuf.Struct`,
  value: { "@type": `${URL_PREFIX}acme.v1.New`, id: "700000000000000001", list: [null, "x"] },
};

/** JSON of an unknown type; the upstream writes integers as bare numbers. */
const UNKNOWN_TEXT = '{"@type":"type.googleapis.com/acme.v1.New","id":700000000000000001,"list":[null,"x"]}';
const OPERATION = `{"name":"o","metadata":${JSON.stringify(VOLUME)},"done":true,"response":${UNKNOWN_TEXT}}`;

/** The types that the client uses to print responses. */
const registry = createRegistry(file_rules_v1_foreign, VolumeSchema, StructSchema, ErrorInfoSchema);

function printed(operation: Operation): JsonValue {
  return toJson(AnyService.method.start.output, operation, { registry });
}

const WAYS: Readonly<Record<string, (url: string) => Transport>> = {
  "Connect, JSON": (baseUrl) =>
    createConnectTransport({
      baseUrl,
      httpVersion: "1.1",
      useBinaryFormat: false,
      jsonOptions: { registry },
    }),
  "Connect, binary": (baseUrl) =>
    createConnectTransport({ baseUrl, httpVersion: "1.1", useBinaryFormat: true }),
  gRPC: (baseUrl) => createGrpcTransport({ baseUrl }),
  "gRPC-Web": (baseUrl) => createGrpcWebTransport({ baseUrl, httpVersion: "1.1" }),
};

/** Calls an operation in-process, and through gateways with and without the fast path, by each protocol. */
async function everyWay(answer: Answer, act: (client: ReturnType<typeof clientOf>) => Promise<unknown>) {
  const types = [file_rules_v1_foreign];
  const world = await start(AnyService, AnyServiceRest, answer, { types });
  const results: unknown[] = [await act(world.client)];
  for (const fastPath of [true, false]) {
    const gateway = await startGateway({
      adapters: [AnyServiceRest],
      upstreams: { rules: { baseUrl: world.origin } },
      types,
      fastPath,
      limits: { drainNoticeMs: 1 },
    });
    for (const transport of Object.values(WAYS)) results.push(await act(clientOf(transport(gateway.url))));
    await gateway.close();
  }
  return { results, seen: world.seen };
}

function clientOf(transport: Transport) {
  return createClient(AnyService, transport);
}

test("every path keeps the metadata and the response of an operation, even if their types are unknown", async () => {
  const { results } = await everyWay({ body: OPERATION }, async (client) => printed(await client.start({})));
  const expected = { name: "o", metadata: VOLUME, done: true, response: KEPT };
  expect(results).toEqual(results.map(() => expected));
});

test("a failed operation keeps the details of its status", async () => {
  const error = { code: 9, message: "stale", details: [INFO, UNKNOWN_TEXT] };
  const body = JSON.stringify({ error }).replace(JSON.stringify(UNKNOWN_TEXT), UNKNOWN_TEXT);
  const { results } = await everyWay({ body }, async (client) => printed(await client.start({})));
  expect(results).toEqual(results.map(() => ({ error: { ...error, details: [INFO, KEPT] } })));
});

test("every path uses a configured type, in requests and in responses", async () => {
  const foreign = create(ForeignSchema, { name: "f" });
  const { results, seen } = await everyWay({ json: { response: FOREIGN } }, async (client) => {
    const { result } = await client.start({ input: anyPack(ForeignSchema, foreign) });
    return result.case === "response" ? anyUnpack(result.value, ForeignSchema)?.name : result.case;
  });
  expect(results).toEqual(results.map(() => "f"));
  expect(seen.map(({ text }) => JSON.parse(text))).toEqual(seen.map(() => ({ input: FOREIGN })));
});

test("every path keeps Any values in the messages of a stream", async () => {
  const body = `${OPERATION}\n${OPERATION}\n`;
  const headers = { "content-type": "application/x-ndjson" };
  const { results } = await everyWay({ body, headers }, async (client) => {
    const found: JsonValue[] = [];
    for await (const operation of client.watch({})) found.push(printed(operation));
    return found;
  });
  const expected = { name: "o", metadata: VOLUME, done: true, response: KEPT };
  expect(results).toEqual(results.map(() => [expected, expected]));
});

test("lists and maps of Any are sent", async () => {
  const volume = anyPack(VolumeSchema, create(VolumeSchema, { title: "Walden", pages: 352n }));
  const { seen } = await everyWay({}, (client) => client.start({ more: [volume], named: { a: volume } }));
  expect(seen.map(({ text }) => JSON.parse(text))).toEqual(
    seen.map(() => ({ more: [VOLUME], named: { a: VOLUME } })),
  );
});

test("a request with an unknown type gets INVALID_ARGUMENT, and the error names the type", async () => {
  const input = { typeUrl: `${URL_PREFIX}acme.v1.New`, value: Uint8Array.of(8, 1) };
  const { results, seen } = await everyWay({}, async (client) => {
    const { code, rawMessage } = await failureOf(client.start({ input }));
    return [code, rawMessage.includes("acme.v1.New")];
  }).catch((error: unknown) => ({ results: [error], seen: [] }));
  // A JSON client cannot serialize the unknown type, so it fails with another error.
  expect(results.filter((result) => String(result) !== String([Code.InvalidArgument, true]))).toHaveLength(2);
  expect(seen).toEqual([]);
});

test("JSON of an unknown type gets INVALID_ARGUMENT on both paths", async () => {
  const world = await start(AnyService, AnyServiceRest);
  for (const fastPath of [true, false]) {
    const upstreams = { rules: { baseUrl: world.origin } };
    const limits = { drainNoticeMs: 1 };
    const gateway = await startGateway({ adapters: [AnyServiceRest], upstreams, fastPath, limits });
    const response = await fetch(`${gateway.url}/rules.v1.AnyService/Start`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: `{"input":${UNKNOWN_TEXT}}`,
    });
    expect([response.status, await response.text()]).toEqual([
      400,
      expect.stringMatching(/invalid_argument.*acme\.v1\.New/),
    ]);
    await gateway.close();
  }
  expect(world.seen).toEqual([]);
});

test("only a value that is kept as a Struct is reported as a difference", async () => {
  const { client, differences } = await start(AnyService, AnyServiceRest, { body: OPERATION });
  await client.start({});
  expect(differences).toEqual([
    { path: "response.@type", expected: "a known type", got: 'string "acme.v1.New"', class: "converted" },
    {
      path: "response.id",
      expected: "an integer up to 2^53, or a double",
      got: "number 700000000000000001",
      class: "converted",
    },
  ]);
});
