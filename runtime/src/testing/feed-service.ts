import { create, createFileRegistry, type Message } from "@bufbuild/protobuf";
import type { GenMessage, GenService } from "@bufbuild/protobuf/codegenv2";
import {
  FileDescriptorProtoSchema,
  FieldDescriptorProto_Label as Label,
  FieldDescriptorProto_Type as Type,
} from "@bufbuild/protobuf/wkt";
import { type FeedParts, type PollAdapter, poll, type ServiceAdapter } from "../adapter/adapter.ts";
import type { MethodRules } from "../adapter/rules.ts";
import { file_connectrest_v1_feed, type Heartbeat } from "../gen/connectrest/v1/feed_pb.ts";
import { RequestWriter } from "../request/request-writer.ts";
import { type Item, ItemTable } from "./stream-service.ts";
import { PLAIN_RULES } from "./thing-service.ts";

/** The service for tests of feeds, without generated code. */
const registry = createFileRegistry(
  create(FileDescriptorProtoSchema, {
    name: "test/v1/feed.proto",
    package: "test.v1",
    syntax: "proto3",
    dependency: ["connectrest/v1/feed.proto"],
    messageType: [
      {
        name: "WatchRequest",
        field: [
          field("owner", 1, Type.STRING),
          field("backlog", 2, Type.BOOL),
          field("after_id", 3, Type.STRING),
          field("resume_token", 4, Type.STRING),
          field("heartbeat_ms", 5, Type.INT32),
        ],
      },
      { name: "Entry", field: [field("id", 1, Type.UINT64), field("name", 2, Type.STRING)] },
      {
        name: "Batch",
        field: [
          { ...field("entries", 1, Type.MESSAGE), label: Label.REPEATED, typeName: ".test.v1.Entry" },
          field("resume_token", 2, Type.STRING),
          field("late", 3, Type.BOOL),
          field("gap", 4, Type.BOOL),
          { ...field("heartbeat", 5, Type.MESSAGE), typeName: ".connectrest.v1.Heartbeat" },
        ],
      },
    ],
    service: [
      {
        name: "FeedService",
        method: [
          {
            name: "Watch",
            inputType: ".test.v1.WatchRequest",
            outputType: ".test.v1.Batch",
            serverStreaming: true,
          },
        ],
      },
    ],
  }),
  (name) => (name === "connectrest/v1/feed.proto" ? file_connectrest_v1_feed : undefined),
);

function field(name: string, number: number, type: Type) {
  const jsonName = name.replace(/_(\w)/g, (_, letter: string) => letter.toUpperCase());
  return { name, jsonName, number, type, label: Label.OPTIONAL };
}

/** A request message of Watch. */
export type WatchRequest = Message<"test.v1.WatchRequest"> & {
  owner: string;
  backlog: boolean;
  afterId: string;
  resumeToken: string;
  heartbeatMs: number;
};

/** A response message of Watch. */
export type Batch = Message<"test.v1.Batch"> & {
  entries: Item[];
  resumeToken: string;
  late: boolean;
  gap: boolean;
  heartbeat?: Heartbeat;
};

/** test.v1.FeedService */
export const FeedService = registry.getService("test.v1.FeedService") as unknown as GenService<{
  watch: { methodKind: "server_streaming"; input: GenMessage<WatchRequest>; output: GenMessage<Batch> };
}>;

const { watch } = FeedService.method;
type Input = typeof watch.input;

/** The rules of the tested feed, whose messages are batches. */
export const FEED_PARTS: FeedParts<Input> = {
  batch: { items: 1, token: 2, late: 3, gap: 4, heartbeat: 5 },
  start: ({ backlog, afterId, resumeToken, heartbeatMs }) => ({
    backlog: backlog || undefined,
    after: afterId || undefined,
    token: resumeToken || undefined,
    heartbeatMs: heartbeatMs || undefined,
  }),
  startFields: { backlog: "backlog", after: "after_id", token: "resume_token" },
  fold: (message) => ({ ...message, owner: message.owner.toLowerCase() }),
  pages: { link: "next", size: 2, max: 3 },
};

/** `GET /feeds/{owner}`: an array of items, newest first. */
export function feedService(
  rules: Partial<MethodRules> = {},
  parts: Partial<FeedParts<Input>> = {},
): ServiceAdapter {
  const adapter: PollAdapter<Input, typeof watch.output> = poll(watch, {
    rules: { ...PLAIN_RULES, ...rules },
    request: ({ owner }) => {
      const out = new RequestWriter("GET", `/feeds/${encodeURIComponent(owner)}`);
      out.query("per_page", 2);
      return out;
    },
    items: "",
    key: "id",
    intervalHeader: "x-poll-interval",
    intervalMs: 60_000,
    item: ItemTable,
    feed: { ...FEED_PARTS, ...parts },
  });
  return { service: FeedService, methods: { watch: adapter } };
}
