import { randomBytes } from "node:crypto";
import { Secret } from "connect-rest-runtime";
import fc from "fast-check";
import { expect, test } from "vitest";
import { KeyRing, type SealedPlace, UnsealFailed } from "./sealed.ts";

const newKey = (encoding: "base64" | "base64url" | "hex" = "base64") =>
  new Secret(randomBytes(32).toString(encoding));

const PLACE: SealedPlace = { kind: "upstream session", key: "s1/blog", subject: "blog:demo" };
const place = fc.record({ kind: fc.string(), key: fc.string(), subject: fc.string() });
const text = fc.string({ unit: "grapheme", maxLength: 100 });

test("property: a sealed value opens in the place for which it was sealed", () => {
  const ring = new KeyRing([newKey()]);
  fc.assert(fc.property(text, place, (value, at) => ring.open(ring.seal(value, at), at) === value));
});

test("property: a sealed value does not open in another place, even if the joined names are equal", () => {
  const ring = new KeyRing([newKey()]);
  fc.assert(
    fc.property(place, place, fc.nat(), (at, other, cut) => {
      const joined = at.kind + at.key + at.subject;
      const [first, second] = [
        cut % (joined.length + 1),
        Math.ceil((cut % (joined.length + 1)) / 2),
      ].toSorted((a, b) => a - b);
      const shifted = {
        kind: joined.slice(0, first),
        key: joined.slice(first, second),
        subject: joined.slice(second),
      };
      for (const moved of [other, shifted]) {
        if (JSON.stringify(moved) === JSON.stringify({ ...at })) continue;
        expect(() => ring.open(ring.seal("token", at), moved)).toThrow(UnsealFailed);
      }
    }),
  );
});

test("property: a sealed value does not open if any of its characters is changed", () => {
  const ring = new KeyRing([newKey()]);
  const sealed = ring.seal("a token", PLACE);
  for (let index = 0; index < sealed.length; index++) {
    for (const other of ["A", "z", ".", "0"]) {
      const changed = sealed.slice(0, index) + other + sealed.slice(index + 1);
      if (changed === sealed) continue;
      // the last character of base64 may have unused bits
      const same = Buffer.from(changed.split(".")[2] ?? "", "base64url").equals(
        Buffer.from(sealed.split(".")[2] ?? "", "base64url"),
      );
      if (same && changed.split(".").length === 3 && index > sealed.lastIndexOf(".")) continue;
      expect(() => ring.open(changed, PLACE), changed).toThrow(UnsealFailed);
    }
  }
  for (let length = 0; length < sealed.length; length++) {
    expect(() => ring.open(sealed.slice(0, length), PLACE)).toThrow(UnsealFailed);
  }
});

test("sealing a value twice gives different results, which reveal only the length of the value", () => {
  const ring = new KeyRing([newKey()]);
  const seals = new Set(Array.from({ length: 100 }, () => ring.seal("the same", PLACE)));
  expect(seals.size).toBe(100);
  for (const seal of seals) expect(seal).not.toContain(Buffer.from("the same").toString("base64url"));
});

test("a previous key still opens values, and resealed values no longer need it", () => {
  const [old, current] = [newKey(), newKey()];
  const before = new KeyRing([old]).seal("token", PLACE);
  const both = new KeyRing([current, old]);
  expect([both.open(before, PLACE), both.isStale(before)]).toEqual(["token", true]);
  const again = both.seal("token", PLACE);
  expect(both.isStale(again)).toBe(false);
  const alone = new KeyRing([current]);
  expect(alone.open(again, PLACE)).toBe("token");
  expect(() => alone.open(before, PLACE)).toThrow(
    /^the value of a row \(upstream session\) is sealed with the key [0-9a-f]{8}, which is not among the keys/,
  );
});

test.each(["base64", "base64url", "hex"] as const)("a key can be written as %s", (encoding) => {
  const bytes = randomBytes(32);
  const ring = new KeyRing([new Secret(`${bytes.toString(encoding)}\n`)]);
  const same = new KeyRing([new Secret(bytes.toString("base64"))]);
  expect(same.open(ring.seal("token", PLACE), PLACE)).toBe("token");
});

test.each(["", "secret", "correct horse battery staple", randomBytes(31).toString("base64"), "ü".repeat(64)])(
  "a key that is too short or malformed is rejected, and the error does not show the key: %#",
  (key) => {
    const failure = () => new KeyRing([new Secret(key)]);
    expect(failure).toThrow("a key has to be at least 32 random bytes in base64 or hexadecimal digits");
    if (key !== "") expect(failure).not.toThrow(key);
  },
);

test("a key ring needs at least one key", () => {
  expect(() => new KeyRing([])).toThrow("there is no key to seal values with");
});

test("a keyed hash is valid only for its purpose and string, and survives a key rotation", () => {
  const [old, current] = [newKey(), newKey()];
  const before = new KeyRing([old]);
  const both = new KeyRing([current, old]);
  fc.assert(
    fc.property(text, text, text, (purpose, value, other) => {
      const mac = before.mac(purpose, value);
      expect(both.isMac(mac, purpose, value)).toBe(true);
      expect(both.isMac(mac, `${purpose}x`, value)).toBe(false);
      if (other !== value) expect(both.isMac(mac, purpose, other)).toBe(false);
      expect(both.isMac(other, purpose, value)).toBe(false);
    }),
    { numRuns: 50 },
  );
});
