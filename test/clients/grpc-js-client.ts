/**
 * Makes calls with grpc-js: reads a JSON array of calls from standard input, and writes a JSON array of
 * results to standard output.
 */
import { text } from "node:stream/consumers";
import { grpc } from "google-gax";
import type { ClientCall, ClientResult } from "./call.ts";

const COMPRESSIONS: Readonly<Record<string, number>> = { deflate: 1, gzip: 2 };

const same = (bytes: Buffer): Buffer => bytes;

function clientOf({ target, config, compression }: ClientCall): grpc.Client {
  return new grpc.Client(target, grpc.credentials.createInsecure(), {
    // Each call has its own connection.
    "grpc.use_local_subchannel_pool": 1,
    ...(config !== undefined && { "grpc.service_config": config }),
    ...(compression !== undefined && {
      "grpc.default_compression_algorithm": COMPRESSIONS[compression] ?? 0,
    }),
  });
}

function metadataOf(call: ClientCall): grpc.Metadata {
  const metadata = new grpc.Metadata();
  for (const [name, value] of Object.entries(call.metadata ?? {})) metadata.set(name, value);
  return metadata;
}

function perform(call: ClientCall): Promise<ClientResult> {
  const client = clientOf(call);
  return new Promise<ClientResult>((resolve) => {
    let responses = 0;
    const finish = (status: Partial<grpc.StatusObject>) => resolve(resultOf(call, status, responses));
    const count = () => {
      responses += 1;
    };
    const done = (error: grpc.ServiceError | null, response?: Buffer) => {
      if (response !== undefined) count();
      finish(error ?? { code: 0, details: "" });
    };
    start(client, call, count, done, finish);
  }).finally(() => client.close());
}

type Done = (error: grpc.ServiceError | null, response?: Buffer) => void;

function start(
  client: grpc.Client,
  call: ClientCall,
  count: () => void,
  done: Done,
  finish: (status: grpc.StatusObject) => void,
): void {
  const { kind, path } = call;
  const messages = call.messages.map((message) => Buffer.from(message, "base64"));
  const [first = Buffer.alloc(0)] = messages;
  const options = call.timeoutMs === undefined ? {} : { deadline: Date.now() + call.timeoutMs };
  const metadata = metadataOf(call);
  if (kind === "unary") {
    client.makeUnaryRequest(path, same, same, first, metadata, options, done);
  } else if (kind === "clientStream") {
    send(client.makeClientStreamRequest(path, same, same, metadata, options, done), messages);
  } else if (kind === "serverStream") {
    read(client.makeServerStreamRequest(path, same, same, first, metadata, options), count, finish);
  } else {
    const stream = client.makeBidiStreamRequest(path, same, same, metadata, options);
    read(stream, count, finish);
    send(stream, messages);
  }
}

function send(stream: grpc.ClientWritableStream<Buffer>, messages: readonly Buffer[]): void {
  // The `status` event reports the error.
  stream.on("error", () => undefined);
  for (const message of messages) stream.write(message);
  stream.end();
}

function read(
  stream: grpc.ClientReadableStream<Buffer>,
  count: () => void,
  finish: (status: grpc.StatusObject) => void,
): void {
  stream.on("error", () => undefined);
  stream.on("data", count);
  stream.on("status", finish);
}

function resultOf(
  { name }: ClientCall,
  { code = 0, details = "", metadata }: Partial<grpc.StatusObject>,
  responses: number,
): ClientResult {
  const [status] = metadata?.get("grpc-status-details-bin") ?? [];
  const bytes = status === undefined ? Buffer.alloc(0) : Buffer.from(status);
  return { name, code, message: details, details: bytes.toString("base64"), responses };
}

const calls = JSON.parse(await text(process.stdin)) as readonly ClientCall[];
const results: ClientResult[] = [];
for (const call of calls) results.push(await perform(call));
process.stdout.write(JSON.stringify(results));
