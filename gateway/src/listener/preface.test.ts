import fc from "fast-check";
import { expect, test } from "vitest";
import { classify } from "./preface.ts";

const PREFACE = "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n";

test("an incomplete preface needs more bytes, and the complete preface is recognized as HTTP/2", () => {
  for (let length = 0; length < PREFACE.length; length++) {
    expect(classify(Buffer.from(PREFACE.slice(0, length)))).toBe("more");
  }
  expect(classify(Buffer.from(`${PREFACE}anything`))).toBe("http2");
});

test("bytes that differ from the preface are recognized as HTTP/1", () => {
  fc.assert(
    fc.property(fc.nat(PREFACE.length - 1), fc.uint8Array({ minLength: 1 }), (length, rest) => {
      const bytes = Buffer.concat([Buffer.from(PREFACE.slice(0, length)), rest]);
      const isPrefix = PREFACE.startsWith(bytes.toString("latin1").slice(0, PREFACE.length));
      expect(classify(bytes) === "http1").toBe(!isPrefix);
    }),
    { interruptAfterTimeLimit: 2000 },
  );
});
