import { systemClock } from "connect-rest-codec/internal";
import fc from "fast-check";
import { expect, test } from "vitest";
import type { DispatchOptions } from "../http/requester.ts";
import { Secret } from "../text/secret.ts";
import { TracedRequest } from "./traced-request.ts";

const SHOWN = 64 * 1024;

function bodyOf(body: string | Uint8Array, ...secrets: readonly string[]) {
  const sent: DispatchOptions = {
    origin: "https://api.example",
    path: "/",
    method: "POST",
    headers: [],
    body,
  };
  const origin = { request: { headers: [] } };
  const traced = new TracedRequest({ sent, origin, credentials: "none", handler: {} }, systemClock);
  return traced.explained(secrets.map((secret) => new Secret(secret))).body;
}

test("a cut body shows no part of a secret, wherever the secret is", () => {
  const values = fc.stringMatching(/^[A-Z][A-Za-z0-9]{0,2000}[0-9]$/);
  const fillings = fc.constantFrom("-", "\u00e9", "\u{1f600}");
  fc.assert(
    fc.property(values, fillings, fc.integer({ min: -2100, max: 2100 }), (value, filling, offset) => {
      const before = filling.repeat(Math.floor((SHOWN + offset) / Buffer.byteLength(filling)));
      const after = "-".repeat(10_000);
      const { text = "", isCut, bytes } = bodyOf(`${before}"${value}"${after}`, value) ?? {};
      expect({ isCut, bytes }).toEqual({
        isCut: true,
        bytes: Buffer.byteLength(before) + value.length + 10_002,
      });
      expect(`${before}"[secret]"${after}`.startsWith(text.slice(0, -1))).toBe(true);
      expect(text).toMatch(/(?:[^[secrt]|"|\[secret\])\u2026$/u);
      expect(Buffer.byteLength(text)).toBeGreaterThan(SHOWN - 4);
    }),
    { numRuns: 300 },
  );
});

test.each([
  ["a body of 64 KB is whole", "a".repeat(SHOWN), { bytes: SHOWN, text: "a".repeat(SHOWN), isCut: false }],
  ["a body that is not UTF-8 is not shown", Buffer.from([0xff]), { bytes: 1, text: undefined, isCut: false }],
])("%s", (_name, body, expected) => {
  expect(bodyOf(body)).toEqual(expected);
});
