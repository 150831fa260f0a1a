import { create, fromBinary, toBinary } from "@bufbuild/protobuf";
import { FeedService } from "../../runtime/src/testing/feed-service.ts";

const { watch } = FeedService.method;

/** The path of the method that watches. */
export const PATH = `/${FeedService.typeName}/Watch`;

/** Returns a request in its envelope. Without a token the stream begins with the next event. */
export function request({ owner = "ada", resumeToken = "" } = {}): Buffer {
  const message = toBinary(watch.input, create(watch.input, { owner, resumeToken }));
  const head = Buffer.alloc(5);
  head.writeUInt32BE(message.length, 1);
  return Buffer.concat([head, message]);
}

/** The content of a message. */
export interface Message {
  readonly ids: readonly number[];
  readonly token: string;
  readonly gap: boolean;
}

/** Reads a message. */
export function messageOf(bytes: Uint8Array): Message {
  const { entries, resumeToken, gap } = fromBinary(watch.output, bytes);
  return { ids: entries.map(({ id }) => Number(id)), token: resumeToken, gap };
}
