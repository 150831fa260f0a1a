import http from "node:http";
import type { AddressInfo } from "node:net";
import { gunzipSync } from "node:zlib";
import { createFileRegistry, fromBinary, fromJson, toJson } from "@bufbuild/protobuf";
import { FileDescriptorSetSchema } from "@bufbuild/protobuf/wkt";
import { z } from "zod";

/** A span as the collector receives it. */
export interface CollectedSpan {
  readonly scope: string;
  readonly service: unknown;
  readonly traceId: string;
  readonly spanId: string;
  /** The ID of the parent span; empty for a span without a parent. */
  readonly parentSpanId: string;
  readonly name: string;
  /** The span kind: 2 for a server, 3 for a client. */
  readonly kind: number;
  readonly attributes: Readonly<Record<string, unknown>>;
  /** The status code: 2 for an error. */
  readonly status: number;
}

/** Receives spans over OTLP/HTTP, as protobuf. */
export interface Collector {
  readonly url: string;
  readonly spans: readonly CollectedSpan[];
  close(): void;
}

/**
 * Starts a collector on a free port. The collector decodes messages by the field numbers of
 * opentelemetry-proto.
 */
export async function startCollector(): Promise<Collector> {
  const spans: CollectedSpan[] = [];
  const server = http.createServer(async (request, response) => {
    const chunks: Uint8Array[] = [];
    for await (const chunk of request) chunks.push(chunk);
    const body = Buffer.concat(chunks);
    const isSpans = request.method === "POST" && request.url === "/v1/traces";
    const isZipped = request.headers["content-encoding"] === "gzip";
    if (isSpans) spans.push(...decode(isZipped ? gunzipSync(body) : body));
    response.writeHead(isSpans ? 200 : 404, { "content-type": "application/x-protobuf" }).end();
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    spans,
    close: () => {
      server.closeAllConnections();
      server.close();
    },
  };
}

type Field = readonly [name: string, number: number, type: string];

/** Messages of opentelemetry-proto 1, with only the fields that tests need. */
const MESSAGES: Readonly<Record<string, readonly Field[]>> = {
  Request: [["resource_spans", 1, "*ResourceSpans"]],
  ResourceSpans: [
    ["resource", 1, "Resource"],
    ["scope_spans", 2, "*ScopeSpans"],
  ],
  Resource: [["attributes", 1, "*KeyValue"]],
  ScopeSpans: [
    ["scope", 1, "Scope"],
    ["spans", 2, "*Span"],
  ],
  Scope: [["name", 1, "string"]],
  Span: [
    ["trace_id", 1, "bytes"],
    ["span_id", 2, "bytes"],
    ["parent_span_id", 4, "bytes"],
    ["name", 5, "string"],
    ["kind", 6, "int32"],
    ["attributes", 9, "*KeyValue"],
    ["status", 15, "Status"],
  ],
  Status: [
    ["message", 2, "string"],
    ["code", 3, "int32"],
  ],
  KeyValue: [
    ["key", 1, "string"],
    ["value", 2, "AnyValue"],
  ],
  AnyValue: [
    ["string_value", 1, "string"],
    ["bool_value", 2, "bool"],
    ["int_value", 3, "int32"],
    ["double_value", 4, "double"],
  ],
};

function requestSchema() {
  const messageType = Object.entries(MESSAGES).map(([name, fields]) => ({
    name,
    field: fields.map(([field, number, type]) => {
      const bare = type.replace("*", "");
      const isMessage = bare in MESSAGES;
      return {
        name: field,
        jsonName: field.replace(/_(.)/g, (_, letter: string) => letter.toUpperCase()),
        number,
        label: type.startsWith("*") ? "LABEL_REPEATED" : "LABEL_OPTIONAL",
        type: isMessage ? "TYPE_MESSAGE" : `TYPE_${bare.toUpperCase()}`,
        ...(isMessage ? { typeName: `.otlp.${bare}` } : {}),
      };
    }),
  }));
  const file = [{ name: "otlp.proto", package: "otlp", syntax: "proto3", messageType }];
  const schema = createFileRegistry(fromJson(FileDescriptorSetSchema, { file })).getMessage("otlp.Request");
  if (schema === undefined) throw new Error("the schema of spans has no request");
  return schema;
}

const attributes = z
  .array(z.object({ key: z.string(), value: z.record(z.string(), z.unknown()).default({}) }))
  .default([])
  .transform((list) => Object.fromEntries(list.map(({ key, value }) => [key, Object.values(value)[0]])));

const requestType = z.object({
  resourceSpans: z.array(
    z.object({
      resource: z.object({ attributes }),
      scopeSpans: z.array(
        z.object({
          scope: z.object({ name: z.string() }),
          spans: z.array(
            z.object({
              traceId: z.string(),
              spanId: z.string(),
              parentSpanId: z.string().default(""),
              name: z.string(),
              kind: z.number().default(0),
              attributes,
              status: z.object({ code: z.number().default(0) }).prefault({}),
            }),
          ),
        }),
      ),
    }),
  ),
});

function decode(body: Uint8Array): CollectedSpan[] {
  const schema = requestSchema();
  const json = toJson(schema, fromBinary(schema, body));
  return requestType.parse(json).resourceSpans.flatMap(({ resource, scopeSpans }) =>
    scopeSpans.flatMap(({ scope, spans }) =>
      spans.map(({ status, traceId, spanId, parentSpanId, ...span }) => ({
        ...span,
        scope: scope.name,
        service: resource.attributes["service.name"],
        traceId: hex(traceId),
        spanId: hex(spanId),
        parentSpanId: hex(parentSpanId),
        status: status.code,
      })),
    ),
  );
}

function hex(base64: string): string {
  return Buffer.from(base64, "base64").toString("hex");
}
