import { create, createRegistry, toBinary } from "@bufbuild/protobuf";
import type { Compression } from "@connectrpc/connect/protocol";
import fc from "fast-check";
import { expect, test } from "vitest";
import { EchoResponseSchema } from "../gen/echo/v1/echo_pb.ts";
import { frameOf, sharedFrameOf } from "./frames.ts";
import type { Head } from "./wire.ts";

const OPTIONS = { writeMaxBytes: 1_000_000, types: createRegistry() };

function compression(name: string): Compression & { readonly calls: () => number } {
  let calls = 0;
  return {
    name,
    calls: () => calls,
    compress: async (bytes) => {
      calls += 1;
      return new Uint8Array(bytes.slice(0, 10));
    },
    decompress: async (bytes) => new Uint8Array(bytes),
  };
}

function head(codec: Head["codec"], responseCompression?: Compression): Head {
  return { codec, requestCompression: undefined, problem: undefined, responseCompression };
}

const message = (text: string) => toBinary(EchoResponseSchema, create(EchoResponseSchema, { text }));

test("a message sent on several streams is framed once per codec", () => {
  const bytes = message("a");
  const proto = sharedFrameOf(EchoResponseSchema, bytes, head("proto"), OPTIONS);
  const json = sharedFrameOf(EchoResponseSchema, bytes, head("json"), OPTIONS);
  expect(sharedFrameOf(EchoResponseSchema, bytes, head("proto"), OPTIONS)).toBe(proto);
  expect(sharedFrameOf(EchoResponseSchema, bytes, head("json"), OPTIONS)).toBe(json);
  expect(Buffer.from(json as Uint8Array).toString("latin1")).toBe('\0\0\0\0\x0c{"text":"a"}');
  // a different message with equal content gets a separate frame
  expect(sharedFrameOf(EchoResponseSchema, message("a"), head("proto"), OPTIONS)).not.toBe(proto);
});

test("a message sent on several streams is compressed once per compression, even if streams ask for it concurrently", async () => {
  const bytes = message("x".repeat(2000));
  const [gzip, br] = [compression("gzip"), compression("br")];
  const frame = (each: Compression) => sharedFrameOf(EchoResponseSchema, bytes, head("proto", each), OPTIONS);
  const frames = await Promise.all([frame(gzip), frame(br), frame(gzip), frame(br), frame(gzip)]);
  expect(new Set(frames).size).toBe(2);
  expect([gzip.calls(), br.calls()]).toEqual([1, 1]);
  expect(frame(gzip)).toBe(frames[0]);
});

test("a shared frame is equal to the frame that a single stream would send", () => {
  const codec = fc.constantFrom("proto" as const, "json" as const);
  fc.assert(
    fc.property(fc.string({ unit: "grapheme" }), codec, (text, codec) => {
      const [bytes, other] = [message(text), message(text)];
      expect(sharedFrameOf(EchoResponseSchema, bytes, head(codec), OPTIONS)).toEqual(
        frameOf(EchoResponseSchema, other, head(codec), OPTIONS),
      );
    }),
    { numRuns: 200 },
  );
});

test("a message that is too large, or has no JSON form, fails on each stream", () => {
  const small = { ...OPTIONS, writeMaxBytes: 10 };
  const bytes = message("too long a text");
  const broken = Uint8Array.of(10, 1, 0xff);
  for (let i = 0; i < 2; i++) {
    expect(() => sharedFrameOf(EchoResponseSchema, bytes, head("proto"), small)).toThrow("writeMaxBytes 10");
    expect(() => sharedFrameOf(EchoResponseSchema, broken, head("json"), OPTIONS)).toThrow();
  }
});
