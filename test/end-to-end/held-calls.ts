import { once } from "node:events";
import http from "node:http";
import http2 from "node:http2";
import { create, fromBinary, toBinary } from "@bufbuild/protobuf";
import { GetBlogInfoRequestSchema, GetBlogInfoResponseSchema } from "../../gen/blog/v1/blog_pb.ts";

const PATH = "/blog.v1.BlogService/GetBlogInfo";

/** A call that the server has begun to process, and that waits for the second half of its request. */
export interface HeldCall {
  /** Sends the second half. Resolves with the name of the returned blog. */
  finish(): Promise<string | undefined>;
}

/** Begins a Connect call over HTTP/1.1 on a separate connection. */
export async function holdConnectCall(url: string): Promise<HeldCall> {
  const body = '{"blogIdentifier":"demo"}';
  const request = http.request(url + PATH, {
    method: "POST",
    agent: false,
    // The server sends a 100 as soon as the request's headers arrive.
    headers: { "content-type": "application/json", "content-length": body.length, expect: "100-continue" },
  });
  const response = once(request, "response") as Promise<[http.IncomingMessage]>;
  response.catch(() => undefined);
  await once(request, "continue");
  request.write(body.slice(0, 10));
  return {
    finish: async () => {
      request.end(body.slice(10));
      const [answer] = await response;
      const json = JSON.parse((await answer.setEncoding("utf8").toArray()).join(""));
      return json.blog?.name;
    },
  };
}

/** Begins a gRPC call over HTTP/2, on a separate connection. */
export async function holdGrpcCall(url: string): Promise<HeldCall> {
  const message = toBinary(
    GetBlogInfoRequestSchema,
    create(GetBlogInfoRequestSchema, { blogIdentifier: "demo" }),
  );
  const session = http2.connect(url);
  // A ping sent before `connect` is cancelled.
  await once(session, "connect");
  const stream = session.request({
    ":method": "POST",
    ":path": PATH,
    "content-type": "application/grpc+proto",
    te: "trailers",
  });
  stream.write(Buffer.of(0, 0, 0, 0, message.length));
  // Responses arrive in order, so after this response the server has the stream.
  await new Promise<void>((resolve, reject) => {
    session.ping((error) => (error === null ? resolve() : reject(error)));
  });
  return {
    finish: async () => {
      stream.end(message);
      const bytes = Buffer.concat(await stream.toArray());
      // A server that exits before the client's GOAWAY resets the connection.
      session.on("error", () => undefined).close();
      return fromBinary(GetBlogInfoResponseSchema, bytes.subarray(5)).blog?.name;
    },
  };
}
