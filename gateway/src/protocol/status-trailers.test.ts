import { Code, ConnectError } from "@connectrpc/connect";
import fc from "fast-check";
import { expect, test } from "vitest";
import { withReason } from "../call/gateway-error.ts";
import { grpcMessage, statusTrailers, withStatus } from "./status-trailers.ts";

test("grpc-message escapes the characters that gRPC requires, and no others", () => {
  expect(grpcMessage("upstream blog responded with 404 Not Found: no (such) blog; 50% [x]\n")).toBe(
    "upstream blog responded with 404 Not Found: no (such) blog; 50%25 [x]%0A",
  );
  expect(grpcMessage("Grüße 🌳")).toBe("Gr%C3%BC%C3%9Fe %F0%9F%8C%B3");
});

test("property: grpc-message decodes to the original string, is a valid header value, and keeps printable ASCII", () => {
  fc.assert(
    fc.property(fc.string({ unit: "binary" }), (text) => {
      const message = grpcMessage(text);
      expect(decodeURIComponent(message)).toBe(text.toWellFormed());
      expect(message).toMatch(/^[\x20-\x7e]*$/);
      expect(new Headers({ a: message }).get("a")).toBe(message);
      for (const [escaped] of message.matchAll(/%[0-9A-F]{2}/g)) {
        const byte = Number.parseInt(escaped.slice(1), 16);
        expect(byte < 0x21 || byte > 0x7e || byte === 0x25).toBe(true);
      }
    }),
  );
});

const CONNECTS = { failedInHandler: false };
const OVERDONE = { "grpc-status": "3", "grpc-message": "Not%20Found%3A%20a", other: "b" };

test("error trailers written by connect get a reason and gRPC's message encoding, and success trailers are not changed", () => {
  const trailers = statusTrailers(withReason(new ConnectError("Not Found: a", Code.InvalidArgument)));
  expect(trailers.get("grpc-message")).toBe("Not Found: a");
  const mended = withStatus(new Headers(OVERDONE), CONNECTS);
  expect(Object.fromEntries(mended)).toEqual({ ...Object.fromEntries(trailers), other: "b" });
  const ok = new Headers({ "grpc-status": "0", other: "b" });
  expect(Object.fromEntries(withStatus(ok, CONNECTS))).toEqual({ "grpc-status": "0", other: "b" });
});

test("the gateway adds no reason to the trailers of an error that a handler threw", () => {
  const trailers = statusTrailers(new ConnectError("Not Found: a", Code.InvalidArgument));
  const kept = withStatus(new Headers(OVERDONE), { failedInHandler: true });
  expect(Object.fromEntries(kept)).toEqual({ ...Object.fromEntries(trailers), other: "b" });
  expect(kept.has("grpc-status-details-bin")).toBe(false);
});
