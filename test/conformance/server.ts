/**
 * The server under test, which the suite's runner starts: `server.ts <descriptor file> <fast|connect>`. Reads
 * a ServerCompatRequest from standard input, listens, and writes a ServerCompatResponse. Exits on SIGTERM.
 */
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { create, type DescMethod, fromBinary, toBinary } from "@bufbuild/protobuf";
import { ConnectError, createContextValues } from "@connectrpc/connect";
import { callKey, currentCall } from "../../gateway/src/call/call.ts";
import type { StreamMethod } from "../../gateway/src/fast-path/call-stream.ts";
import type { UnaryMethod } from "../../gateway/src/fast-path/call-unary.ts";
import { type ServerOptions, startServer } from "../../gateway/src/server.ts";
import { type Exchange, Implementation, UNARY_METHODS } from "./implementation.ts";
import type { ServerCompatRequest } from "./messages.ts";
import { Schema } from "./schema.ts";

const [descriptorFile = "", path = ""] = process.argv.slice(2);
const schema = new Schema(descriptorFile);
const implementation = new Implementation(schema);

/** Reads one message, which follows its big-endian length of four bytes. */
async function readRequest(): Promise<ServerCompatRequest> {
  const chunks: Buffer[] = [];
  for await (const chunk of process.stdin) {
    chunks.push(chunk as Buffer);
    const bytes = Buffer.concat(chunks);
    if (bytes.length < 4 || bytes.length < 4 + bytes.readUInt32BE()) continue;
    const message = bytes.subarray(4, 4 + bytes.readUInt32BE());
    return fromBinary(schema.message("ServerCompatRequest"), message) as ServerCompatRequest;
  }
  throw new Error("standard input ended before the ServerCompatRequest did");
}

function writeResponse(port: number, pemCert: Uint8Array): void {
  const type = schema.message("ServerCompatResponse");
  const message = toBinary(type, create(type, { host: "127.0.0.1", port, pemCert } as never));
  const length = Buffer.alloc(4);
  length.writeUInt32BE(message.length);
  process.stdout.write(Buffer.concat([length, message]));
}

function unaryOf(method: DescMethod): UnaryMethod | undefined {
  const name = UNARY_METHODS.find((candidate) => candidate === method.name);
  if (name === undefined) return undefined;
  return async (message, { header }) => {
    const exchange = exchangeOf(header());
    const response = await implementation.oneResponse(name, [message], exchange).catch((error: unknown) => {
      throw withMetadata(error, exchange);
    });
    return {
      bytes: toBinary(method.output, response as never),
      header: exchange.responseHeader,
      trailer: exchange.responseTrailer,
    };
  };
}

function streamOf(method: DescMethod): StreamMethod | undefined {
  if (method.name !== "ServerStream") return undefined;
  const call: StreamMethod["call"] = (message, { header }) => {
    const exchange = exchangeOf(header());
    const messages = implementation.serverStream(message, exchange)[Symbol.asyncIterator]();
    return {
      header: exchange.responseHeader,
      trailer: exchange.responseTrailer,
      next: async () => {
        const step = await messages.next();
        if (step.done === true) return { done: true, value: undefined };
        return { done: false, value: toBinary(method.output, step.value as never) };
      },
      return: async () => messages.return?.(),
    };
  };
  return { call, isShared: false };
}

function exchangeOf(requestHeader: Headers): Exchange {
  return {
    requestHeader,
    responseHeader: new Headers(),
    responseTrailer: new Headers(),
    requestMethod: "POST",
    url: "",
    values: createContextValues().set(callKey, currentCall()),
  };
}

function withMetadata(error: unknown, { responseHeader, responseTrailer }: Exchange): unknown {
  if (!(error instanceof ConnectError)) return error;
  for (const [name, value] of [...responseHeader, ...responseTrailer]) error.metadata.append(name, value);
  return error;
}

const request = await readRequest();
const folder = mkdtempSync(join(tmpdir(), "connect-rest-conformance-"));
const file = (name: string, content: Uint8Array): string => {
  writeFileSync(join(folder, name), content, { mode: 0o600 });
  return join(folder, name);
};
const creds = request.useTls ? request.serverCreds : undefined;
const clientCa =
  request.clientTlsCert.length > 0 ? { clientCa: file("clients.pem", request.clientTlsCert) } : {};
const options: ServerOptions = {
  routes: (router) => void router.service(schema.service, implementation.handlers() as never),
  types: schema.types,
  ...(path === "fast" && { unaryOf, streamOf }),
  ...(creds && {
    tls: { certificate: file("cert.pem", creds.cert), key: file("key.pem", creds.key), ...clientCa },
  }),
  ...(request.messageReceiveLimit > 0 && { limits: { readMaxBytes: request.messageReceiveLimit } }),
};
const server = await startServer(options);
process.once("SIGTERM", () => {
  rmSync(folder, { recursive: true, force: true });
  process.exit(0);
});
await server.warm;
writeResponse(server.port, creds?.cert ?? new Uint8Array(0));
