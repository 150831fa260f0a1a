import { create, createFileRegistry, type Message } from "@bufbuild/protobuf";
import type { GenMessage, GenService } from "@bufbuild/protobuf/codegenv2";
import {
  FileDescriptorProtoSchema,
  FieldDescriptorProto_Label as Label,
  FieldDescriptorProto_Type as Type,
} from "@bufbuild/protobuf/wkt";
import { table } from "connect-rest-codec/internal";
import {
  type AnyMethodAdapter,
  type DownloadAdapter,
  download,
  type NextPage,
  type PaginateAdapter,
  type PollAdapter,
  paginate,
  poll,
  type ServiceAdapter,
  type UploadAdapter,
  upload,
} from "../adapter/adapter.ts";
import type { MethodRules } from "../adapter/rules.ts";
import { RequestWriter } from "../request/request-writer.ts";
import { PLAIN_RULES } from "./thing-service.ts";

/** The service for tests of streams, written without generated code. */
const registry = createFileRegistry(
  create(FileDescriptorProtoSchema, {
    name: "test/v1/stream.proto",
    package: "test.v1",
    syntax: "proto3",
    messageType: [
      {
        name: "ListRequest",
        field: [
          field("offset", 1, Type.INT32),
          field("page", 2, Type.INT32),
          field("cursor", 3, Type.STRING),
          field("key", 4, Type.STRING),
        ],
      },
      { name: "Item", field: [field("id", 1, Type.UINT64), field("name", 2, Type.STRING)] },
      {
        name: "Chunk",
        field: [field("data", 1, Type.BYTES), field("type", 2, Type.STRING), field("status", 3, Type.INT32)],
      },
      {
        name: "UploadRequest",
        field: [
          field("chunk", 1, Type.BYTES),
          field("type", 2, Type.STRING),
          field("part", 3, Type.STRING),
          field("filename", 4, Type.STRING),
          field("title", 5, Type.STRING),
        ],
      },
    ],
    service: [
      {
        name: "StreamService",
        method: [
          method("List", "ListRequest", "Item", { serverStreaming: true }),
          method("Watch", "ListRequest", "Item", { serverStreaming: true }),
          method("Download", "ListRequest", "Chunk", { serverStreaming: true }),
          method("Upload", "UploadRequest", "Item", { clientStreaming: true }),
        ],
      },
    ],
  }),
  () => undefined,
);

function field(name: string, number: number, type: Type) {
  return { name, jsonName: name, number, type, label: Label.OPTIONAL };
}

function method(name: string, input: string, output: string, kind: object) {
  return { name, inputType: `.test.v1.${input}`, outputType: `.test.v1.${output}`, ...kind };
}

/** A request message of List, Watch and Download. */
export type ListRequest = Message<"test.v1.ListRequest"> & {
  offset: number;
  page: number;
  cursor: string;
  key: string;
};

/** A response message of List, Watch and Upload. */
export type Item = Message<"test.v1.Item"> & { id: bigint; name: string };

/** A response message of Download. */
export type Chunk = Message<"test.v1.Chunk"> & { data: Uint8Array; type: string; status: number };

/** A request message of Upload. */
export type UploadRequest = Message<"test.v1.UploadRequest"> & {
  chunk: Uint8Array;
  type: string;
  part: string;
  filename: string;
  title: string;
};

interface Method<K extends string, I extends Message, O extends Message> {
  readonly methodKind: K;
  readonly input: GenMessage<I>;
  readonly output: GenMessage<O>;
}

/** test.v1.StreamService */
export const StreamService = registry.getService("test.v1.StreamService") as unknown as GenService<{
  list: Method<"server_streaming", ListRequest, Item>;
  watch: Method<"server_streaming", ListRequest, Item>;
  download: Method<"server_streaming", ListRequest, Chunk>;
  upload: Method<"client_streaming", UploadRequest, Item>;
}>;

const { list, watch, download: downloadMethod, upload: uploadMethod } = StreamService.method;

/** Returns the adapter of StreamService with one method. */
export function streamService(name: string, adapter: AnyMethodAdapter): ServiceAdapter {
  return { service: StreamService, methods: { [name]: adapter } };
}

type Rules = Partial<MethodRules>;

/** An Item. */
export const ItemTable = table("test.v1.Item", () => [
  [1, "uint64", "id"],
  [2, "string", "name"],
]);

function listRequest({ offset, page, cursor, key }: ListRequest): RequestWriter {
  const out = new RequestWriter("GET", "/v2/items");
  out.header("x-version", "1");
  out.query("offset", offset === 0 ? undefined : offset);
  out.query("page", page === 0 ? undefined : page);
  out.query("cursor", cursor === "" ? undefined : cursor);
  out.query("key", key === "" ? undefined : key);
  return out;
}

/** Returns an adapter that lists `GET /v2/items`, whose items are in `posts`. */
export function listAdapter(
  next: NextPage<typeof list.input>,
  rules: Rules = {},
  parts: Partial<PaginateAdapter<typeof list.input, typeof list.output>> = {},
): PaginateAdapter<typeof list.input, typeof list.output> {
  const all = { ...PLAIN_RULES, ...rules };
  return {
    ...paginate(list, {
      rules: all,
      request: listRequest,
      items: ["posts"],
      next,
      maxPages: 100,
      item: ItemTable,
    }),
    ...parts,
  };
}

/** Returns an adapter that polls `GET /v2/items`. Ids identify the items. */
export function watchAdapter(
  parts: Partial<PollAdapter<typeof watch.input, typeof watch.output>> = {},
): PollAdapter<typeof watch.input, typeof watch.output> {
  return {
    ...poll(watch, {
      rules: PLAIN_RULES,
      request: listRequest,
      items: "",
      key: "id",
      intervalHeader: "x-poll-interval",
      intervalMs: 60_000,
      skipBacklog: false,
      item: ItemTable,
    }),
    ...parts,
  };
}

/** Returns an adapter that downloads `GET /v2/items`, whatever its content type. */
export function downloadAdapter(
  rules: Rules = {},
): DownloadAdapter<typeof downloadMethod.input, typeof downloadMethod.output> {
  return download(downloadMethod, {
    rules: { ...PLAIN_RULES, responseEncoding: "bytes", ...rules },
    request: listRequest,
    head: [
      [2, "string", { header: "content-type" }],
      [3, "int32", "status"],
    ],
    chunk: 1,
  });
}

/**
 * Returns an adapter that uploads to `POST /v2/items`. The chunks form the whole body or, in a multipart
 * upload, the part after the `title` part.
 */
export function uploadAdapter(
  rules: Rules = {},
): UploadAdapter<typeof uploadMethod.input, typeof uploadMethod.output> {
  return upload(uploadMethod, {
    rules: { ...PLAIN_RULES, idempotent: false, ...rules },
    request: ({ title }) => {
      const out = new RequestWriter("POST", "/v2/items");
      out.part("title", title === "" ? undefined : title);
      return out;
    },
    chunk: ({ chunk }) => chunk,
    stream: ({ type, part, filename }) => ({
      contentType: type === "" ? "application/octet-stream" : type,
      ...(part !== "" && { part }),
      ...(filename !== "" && { filename }),
    }),
    body: ItemTable,
  });
}
