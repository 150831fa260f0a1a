import { create, createFileRegistry, type DescMethod, fromBinary, type Message } from "@bufbuild/protobuf";
import type { GenMessage, GenService } from "@bufbuild/protobuf/codegenv2";
import {
  FileDescriptorProtoSchema,
  FieldDescriptorProto_Label as Label,
  FieldDescriptorProto_Type as Type,
} from "@bufbuild/protobuf/wkt";
import type { ProtoWriter } from "connect-rest-codec/internal";
import { isJsonObject, type JsonValue } from "connect-rest-codec/internal";
import type { ServiceAdapter, UnaryAdapter } from "../adapter/adapter.ts";
import type { MethodRules } from "../adapter/rules.ts";
import { pathSegment } from "../request/path-segment.ts";
import { RequestWriter } from "../request/request-writer.ts";

/** The service for tests of the runtime, without generated code. */
const registry = createFileRegistry(
  create(FileDescriptorProtoSchema, {
    name: "test/v1/thing.proto",
    package: "test.v1",
    syntax: "proto3",
    messageType: [
      { name: "GetThingRequest", field: [field("name", 1, Type.STRING), field("limit", 2, Type.INT32)] },
      {
        name: "Thing",
        field: [
          field("id", 1, Type.UINT64),
          field("name", 2, Type.STRING),
          field("raw", 3, Type.STRING),
          field("status", 4, Type.INT32),
          field("data", 5, Type.BYTES),
          { ...field("self", 6, Type.MESSAGE), typeName: ".test.v1.Thing" },
        ],
      },
    ],
    service: [
      {
        name: "ThingService",
        method: [
          { name: "GetThing", inputType: ".test.v1.GetThingRequest", outputType: ".test.v1.Thing" },
          { name: "Unmapped", inputType: ".test.v1.GetThingRequest", outputType: ".test.v1.Thing" },
          {
            name: "WatchThing",
            inputType: ".test.v1.GetThingRequest",
            outputType: ".test.v1.Thing",
            serverStreaming: true,
          },
        ],
      },
    ],
  }),
  () => undefined,
);

function field(name: string, number: number, type: Type) {
  return { name, jsonName: name, number, type, label: Label.OPTIONAL };
}

function found<T>(value: T | undefined): T {
  if (value === undefined) throw new Error("not in the test's descriptors");
  return value;
}

/** The request message of GetThing. */
export type GetThingRequest = Message<"test.v1.GetThingRequest"> & { name: string; limit: number };

/** The response message of GetThing. */
export type Thing = Message<"test.v1.Thing"> & {
  id: bigint;
  name: string;
  raw: string;
  status: number;
  data: Uint8Array;
};

interface Method<K extends DescMethod["methodKind"]> {
  readonly methodKind: K;
  readonly input: GenMessage<GetThingRequest>;
  readonly output: GenMessage<Thing>;
}

/** test.v1.ThingService */
export const ThingService = found(registry.getService("test.v1.ThingService")) as GenService<{
  getThing: Method<"unary">;
  unmapped: Method<"unary">;
  watchThing: Method<"server_streaming">;
}>;
export const { getThing, unmapped, watchThing } = ThingService.method;

/** Returns a request message of GetThing. */
export function thingRequest(value: { readonly name?: string; readonly limit?: number }): GetThingRequest {
  return create(getThing.input, value);
}

/** Decodes a response message of GetThing. */
export function thingOf(bytes: Uint8Array): Thing {
  return fromBinary(getThing.output, bytes);
}

type ThingAdapter = UnaryAdapter<typeof getThing.input, typeof getThing.output>;

/** The rules of a method without requirements. */
export const PLAIN_RULES: MethodRules = {
  upstream: "things",
  base: "",
  credentials: [],
  errorShapes: [],
  errors: [],
  retryAfter: [],
  rawErrorBody: false,
  redirects: false,
  success: [],
  responseEncoding: "json",
  scopes: [],
  idempotent: true,
};

/** The properties in which a test's GetThing differs from `GET /things/{name}?limit=`. */
export interface ThingVariant {
  readonly rules?: Partial<MethodRules>;
  readonly request?: ThingAdapter["request"];
}

const THING_KEYS: ReadonlySet<string> = new Set(["id", "name", "raw", "self"]);

/** Returns an adapter like those that the generator prints. */
export function thingAdapter({ rules, request }: ThingVariant = {}): ThingAdapter {
  return {
    kind: "unary",
    method: getThing,
    rules: { ...PLAIN_RULES, ...rules },
    request: request ?? getThingRequest,
    response: (response, out) => {
      const json = isJsonObject(response.payload) ? response.payload : {};
      out.uint64(1, json.id, "id");
      out.string(2, json.name, "name");
      out.raw(3, json.raw, "raw");
      out.int32(4, response.status, "status");
      if (response.bytes !== undefined) out.bytes(5, Buffer.from(response.bytes).toString("base64"), "data");
      out.message(6, json.self, "self", nested);
      if (!isJsonObject(response.payload)) out.root(response.payload, () => undefined);
      out.unknownKeys(json, THING_KEYS);
    },
  };
}

function nested(json: { readonly [key: string]: JsonValue | undefined }, out: ProtoWriter): void {
  out.message(6, json.self, "self", nested);
}

function getThingRequest({ name, limit }: GetThingRequest): RequestWriter {
  const out = new RequestWriter("GET", `/things/${pathSegment(name, "name")}`);
  out.query("limit", limit === 0 ? undefined : limit);
  return out;
}

/** Returns the adapter of ThingService with one method. */
export function thingService(variant: ThingVariant = {}): ServiceAdapter {
  return { service: ThingService, methods: { getThing: thingAdapter(variant) } };
}
