import fc from "fast-check";
import { expect, test } from "vitest";
import { findSecrets } from "./find-secrets.ts";
import { Secret } from "./secret.ts";

/** Redacts a secret like `redactText`. */
const redact = (text: string, secret: string) =>
  findSecrets(text, [new Secret(secret)])
    .toReversed()
    .reduce((clean, [from, to]) => `${clean.slice(0, from)}[secret]${clean.slice(to)}`, text);

const units = (text: string, write: (unit: number) => string) =>
  Array.from(text, (char) =>
    char
      .split("")
      .map((unit) => write(unit.charCodeAt(0)))
      .join(""),
  ).join("");
const hexOf = (unit: number, width: number) => unit.toString(16).padStart(width, "0");

const points = (text: string, write: (point: number) => string) =>
  Array.from(text, (char) => write(char.codePointAt(0) ?? 0)).join("");

/** The encodings in which a peer may write a text that it has received. */
const ENCODINGS: Readonly<Record<string, (text: string) => string>> = {
  unchanged: (text) => text,
  "in upper case": (text) => text.toUpperCase(),
  "in lower case": (text) => text.toLowerCase(),
  "percent-encoded": encodeURIComponent,
  "percent-encoded in lower case": (text) =>
    encodeURIComponent(text).replace(/%../g, (part) => part.toLowerCase()),
  "percent-encoded twice": (text) => encodeURIComponent(encodeURIComponent(text)),
  "with every character percent-encoded": (text) => Buffer.from(text).toString("hex").replace(/../g, "%$&"),
  "as a form": (text) => new URLSearchParams({ a: text }).toString().slice(2),
  "as JSON": (text) => JSON.stringify(text).slice(1, -1),
  "as JSON with escaped slashes": (text) => JSON.stringify(text).slice(1, -1).replaceAll("/", "\\/"),
  "as JSON within JSON": (text) => JSON.stringify(JSON.stringify(text)).slice(3, -3),
  "as JSON of ASCII": (text) => units(text, (unit) => `\\u${hexOf(unit, 4)}`),
  "as HTML": (text) =>
    text.replace(
      /[&<>"']/g,
      (char) => ({ "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;" })[char] ?? "&#39;",
    ),
  "as decimal HTML entities": (text) => points(text, (point) => `&#${point};`),
  "as decimal HTML entities with zeros": (text) =>
    points(text, (point) => `&#${String(point).padStart(12, "0")};`),
  "as hexadecimal HTML entities with zeros": (text) => points(text, (point) => `&#x${hexOf(point, 9)};`),
  "as HTML without semicolons": (text) => points(text, (point) => `&#${point}`),
  "as JavaScript with braces": (text) => points(text, (point) => `\\u{${hexOf(point, 1)}}`),
  "as base64": (text) => Buffer.from(text).toString("base64"),
  "as base64 without padding": (text) => Buffer.from(text).toString("base64").replaceAll("=", ""),
  "as base64url": (text) => Buffer.from(text).toString("base64url"),
  "as base64 after one byte": (text) => Buffer.from(`:${text}`).toString("base64"),
  "as base64 between other bytes": (text) => Buffer.from(`me:${text}:you`).toString("base64"),
  "as base64 in an address": (text) => encodeURIComponent(Buffer.from(text).toString("base64")),
  "as hexadecimal": (text) => Buffer.from(text).toString("hex"),
  "as upper-case hexadecimal": (text) => Buffer.from(text).toString("hex").toUpperCase(),
};

/** Possible API keys: printable, without leading and trailing spaces. */
const secrets = fc
  .oneof(
    fc.stringMatching(/^[A-Za-z0-9_-]{8,60}$/),
    fc.stringMatching(/^[!-~][ -~]{8,60}[!-~]$/),
    fc.base64String({ minLength: 12, maxLength: 80 }),
  )
  .filter(
    (text) => /(?:[A-Za-z0-9][^A-Za-z0-9]*){7}/.test(text) && text === text.trim() && !text.includes("  "),
  );

test.each(Object.keys(ENCODINGS))("a secret is found at any position in a text, encoded %s", (name) => {
  const encode = ENCODINGS[name] ?? String;
  const around = fc.stringMatching(/^[A-Za-z ]{0,12}$/);
  fc.assert(
    fc.property(secrets, around, around, (secret, before, behind) => {
      fc.pre(!before.includes("[secret]") && redact(before, secret) === before);
      // a letter next to a secret that begins with an escape may be read as part of the escape
      fc.pre(!/^[^A-Za-z0-9]*[%\\&~]/.test(secret) || /[^A-Za-z]$|^$/.test(before));
      const clean = redact(`${before} ${encode(secret)} ${behind}`, secret);
      expect(clean).toContain("[secret]");
      // backslashes before the secret and base64 characters that share bits with other bytes may remain;
      // adjacent blanks may be removed together with the secret
      const left = clean.length - before.length - behind.length - "[secret]".length - 2;
      if (!name.includes("base64")) expect(left).toBeLessThanOrEqual(8);
      expect(clean.startsWith(before.trimEnd())).toBe(true);
    }),
    { interruptAfterTimeLimit: 2000 },
  );
});

test("a secret is found in escapes within escapes, e.g. as JSON in a URL", () => {
  const names = Object.keys(ENCODINGS).filter((name) => !/base64|hexa|twice|within|without/.test(name));
  const way = fc.constantFrom(...names);
  fc.assert(
    fc.property(secrets, way, way, (secret, inner, outer) => {
      fc.pre(!/[%\\&~]/.test(secret));
      const written = (ENCODINGS[outer] ?? String)((ENCODINGS[inner] ?? String)(secret));
      const clean = redact(`"${written}"`, secret);
      expect(clean).toContain("[secret]");
      // escaped backslashes before the secret may remain
      expect(clean.replaceAll("[secret]", "").length - 2).toBeLessThanOrEqual(8);
    }),
    { numRuns: 2000 },
  );
});

test("a secret is found even if each of its characters is encoded differently", () => {
  const ways = Object.entries(ENCODINGS).filter(
    ([name]) => !/base64|hexa|case|twice|within|without/.test(name),
  );
  const pick = fc.array(fc.nat(ways.length - 1), { minLength: 64, maxLength: 64 });
  fc.assert(
    fc.property(secrets, pick, (secret, picks) => {
      fc.pre(!/[%\\&]/.test(secret));
      const written = [...secret].map((char, at) => ways[picks[at % 64] ?? 0]?.[1](char) ?? char).join("");
      expect(redact(written, secret)).toMatch(/^\\*\[secret\]$/);
    }),
    { interruptAfterTimeLimit: 2000 },
  );
});

test("the beginning of a secret before an ellipsis is found, unless it is too short to reveal anything", () => {
  fc.assert(
    fc.property(secrets, fc.integer({ min: 4, max: 80 }), (secret, length) => {
      // four characters may be too few if some are escapes or blanks
      fc.pre(!/[%\\&]|[ +-]{2}/.test(secret));
      const cut = secret.slice(0, Math.min(length, secret.length - 1));
      expect(redact(`key ${cut}…`, secret)).toMatch(/^key ?\[secret\]…$/);
      expect(redact(`key ${secret}…`, secret)).toMatch(/^key ?\[secret\]…$/);
    }),
    { interruptAfterTimeLimit: 2000 },
  );
  expect(redact("key abc…", "abcdefgh")).toBe("key abc…");
  for (const cut of ["abcd+%", "abcd%2", "abcd%2B%252", "abcd%252", "abcd\\u00", "abcd\\", "abcd&#4"]) {
    expect(redact(`key ${cut}…`, "abcd++efgh")).toBe("key [secret]…");
  }
});

test("any 12 consecutive characters of a secret of at least 16 characters are found, in every encoding", () => {
  const long = secrets.filter((secret) => secret.length >= 16 && !/[%\\&]|[ +_-]{2}/.test(secret));
  const ways = fc.constantFrom(...Object.keys(ENCODINGS));
  const around = fc.stringMatching(/^(?:[A-Za-z ]{0,12}|["'%\\{:,]{0,3})$/);
  fc.assert(
    fc.property(long, fc.nat(), fc.integer({ min: 12, max: 60 }), ways, around, around, (...draw) => {
      const [secret, place, length, way, before, behind] = draw;
      const at = place % (secret.length - 11);
      const part = secret.slice(at, at + length);
      fc.pre(part === part.trim());
      const text = `${before} ${(ENCODINGS[way] ?? String)(part)} ${behind}`;
      const clean = redact(text, secret);
      expect(clean).toContain("[secret]");
      // base64 characters at both ends share bits with adjacent bytes
      const left = clean.length - before.length - behind.length - "[secret]".length;
      expect(left).toBeLessThanOrEqual(way.includes("base64") ? 16 : 8);
    }),
    { interruptAfterTimeLimit: 4000 },
  );
});

test("any 12 consecutive characters of a secret with escapes or accents are found in any letter case", () => {
  const escapes = ["%", "\\", "&", "~", "%41", "%2F", "\\n", "\\u0041", "&amp;", "&#65;", "~1"];
  const others = [..."abcdef0123456789GHXYZ/:éÀñбЖ漢"];
  const long = fc.string({ unit: fc.constantFrom(...escapes, ...others), minLength: 16, maxLength: 60 });
  const cases = fc.constantFrom(
    (text: string) => text,
    (text: string) => text.toUpperCase(),
    (text: string) => text.toLowerCase(),
  );
  fc.assert(
    fc.property(long, fc.nat(), fc.integer({ min: 12, max: 60 }), cases, (secret, place, length, write) => {
      const at = place % (secret.length - 11);
      const part = secret.slice(at, at + length);
      expect(redact(`"${write(part)}"`, secret)).toMatch(/^"?(?:\[secret\])+"?$/);
    }),
    { numRuns: 2000 },
  );
});

/** Ways in which error formats split a text. */
const SEPARATIONS: Readonly<Record<string, (text: string) => string>> = {
  "as a JSON pointer": (text) => `/${text.split("/").map(pointerStep).join("/")}`,
  "as one step of a JSON pointer": (text) => `/${pointerStep(text)}`,
  "as a dotted path": (text) => text.split(/[/+._-]/).join("."),
  "as steps in brackets": (text) =>
    text
      .split(/[/+._-]/)
      .map((step) => `["${step}"]`)
      .join(""),
  "as a list of steps": (text) => JSON.stringify(text.split(/[/+._-]/), null, 2),
  "as a constant": (text) =>
    text
      .replace(/(?<=[a-z0-9])(?=[A-Z])/g, "_")
      .toUpperCase()
      .replace(/[^A-Z0-9]+/g, "_"),
  "in groups of four": (text) => text.replace(/.{4}/g, "$& "),
  "on several lines": (text) => text.replace(/.{9}/g, "$&\r\n    | "),
  "with invisible characters": (text) => [...text].join("\u200b"),
  "as base64 on several lines": (text) => Buffer.from(text).toString("base64").replace(/.{7}/g, "$&\r\n"),
  "as hexadecimal with colons": (text) =>
    Buffer.from(text)
      .toString("hex")
      .replace(/..(?=.)/g, "$&:"),
  "as UTF-16": (text) => Buffer.from(text, "utf16le").toString("utf8"),
  "as UTF-16, big endian": (text) => Buffer.from(text, "utf16le").swap16().toString("utf8"),
  "as UTF-16 with a byte order mark, read as Latin-1": (text) =>
    Buffer.from(`\ufeff${text}`, "utf16le").toString("latin1"),
  "as UTF-32": (text) => [...text].map((char) => `\0\0\0${char}`).join(""),
};

function pointerStep(text: string): string {
  return text.replaceAll("~", "~0").replaceAll("/", "~1");
}

test.each(Object.keys(SEPARATIONS))(
  "12 consecutive characters of a secret are found if they are written %s",
  (name) => {
    const separate = SEPARATIONS[name] ?? String;
    const values = fc.oneof(
      fc.base64String({ minLength: 20, maxLength: 80 }).map((text) => text.replaceAll("=", "")),
      fc.stringMatching(/^[A-Za-z0-9]{4,9}(?:[/.+_-][A-Za-z0-9]{4,9}){3,6}$/),
      fc.uuid(),
    );
    const around = fc.stringMatching(/^(?:[a-z]{1,5}[ ./:])?$/);
    fc.assert(
      fc.property(
        values,
        fc.nat(),
        fc.integer({ min: 12, max: 60 }),
        around,
        (secret, place, length, before) => {
          // parts of secrets with repetitions may remain
          fc.pre(secret.length >= 16 && /\d/.test(secret) && !/(.{3}).*\1|(.)\2\2/i.test(secret));
          const at = place % (secret.length - 11);
          const part = secret.slice(at, at + length);
          fc.pre(part.replace(/[^A-Za-z0-9]/g, "").length >= 8);
          const clean = redact(`${before}${separate(part)}`, secret);
          expect(clean).toContain("[secret]");
          const left = clean
            .replace("[secret]", "")
            .slice(before.length)
            .replace(/[^A-Za-z0-9]/g, "");
          // base64 characters at both ends share bits with adjacent bytes, and a single letter may be
          // separated
          expect(left.length).toBeLessThanOrEqual(name.includes("base64") ? 6 : 3);
        },
      ),
      { interruptAfterTimeLimit: 2000 },
    );
  },
);

test("11 or fewer consecutive characters of a secret are not redacted", () => {
  const secret = "k7Qz2mXw9RtL4vBn8sJd3fHg";
  for (let length = 1; length < 12; length++) {
    for (let at = 0; at + length <= secret.length; at++) {
      const text = `id ${secret.slice(at, at + length)}.`;
      expect(redact(text, secret)).toBe(text);
    }
  }
});

test("words of a language are not redacted, even if a secret contains the same words", () => {
  const text = "The refresh token of this client is unknown";
  expect(redact(text, "demo-refresh-token-of-this-client-1")).toBe(text);
  expect(redact(`${text}: refresh-token-of`, "demo-refresh-token-of-this-client-1")).toMatch(
    /: ?\[secret\]$/,
  );
  expect(redact("no pass phrase of mine", "the pass phrase of mine")).toContain("[secret]");
});

test("text other than the secret is not redacted", () => {
  const others = fc.stringMatching(/^[ -~]{0,200}$/);
  fc.assert(
    fc.property(fc.uuid(), others, (secret, text) => {
      expect(redact(text, secret)).toBe(text);
    }),
    { interruptAfterTimeLimit: 2000 },
  );
});

test("a long secret, such as an OAuth 2 token, is found both as a whole and truncated", () => {
  for (const length of [1000, 2048, 2049, 8000]) {
    const token = "eyJhbGciOiJSUzI1NiJ9.".repeat(400).slice(0, length);
    expect(redact(`Bearer ${token}!`, token)).toBe("Bearer [secret]!");
    expect(redact(`Bearer ${token.slice(0, 300)}…`, token)).toBe("Bearer [secret]…");
    expect(redact(Buffer.from(token).toString("base64"), token)).toContain("[secret]");
  }
});

test("a secret that is too large for one pattern is found as a whole", () => {
  const token = Array.from({ length: 16_000 }, (_, index) => ((index * 7919) % 36).toString(36)).join("");
  expect(redact(`Bearer ${token}!`, token)).toBe("Bearer [secret]!");
  expect(redact("nothing", token)).toBe("nothing");
});

test.each(["%20", "%3A", "\\u0022", "\\n", "\\\\n"])(
  "a short secret is found after the escape %s",
  (written) => {
    for (const secret of ["ab1", "abc1234", "a-b", "x y"]) {
      expect(redact(`Key${written}${encodeURIComponent(secret)} sent`, secret)).toBe(
        `Key${written}[secret] sent`,
      );
      expect(redact(`Key1${secret}`, secret)).toBe(`Key1${secret}`);
    }
  },
);

test("a hostile text does not slow the search down", () => {
  const secret = `ab/+ c"<'${"x/y".repeat(40)}`;
  for (const piece of ["\\", "a", "ab", " ", "&#0", "%25", "\\u0061", secret.slice(0, 7)]) {
    const text = piece.repeat(Math.ceil(200_000 / piece.length));
    expect(redact(text, secret)).toBe(text);
  }
  for (const piece of [secret.slice(0, 70), secret.slice(0, -1)]) {
    const text = piece.repeat(Math.ceil(200_000 / piece.length));
    expect(redact(text, secret)).toMatch(/^(?:\[secret\])+$/);
  }
});
