import fc from "fast-check";
import { expect, test } from "vitest";
import { findSecrets } from "./find-secrets.ts";
import { textOf } from "./needles.ts";
import { plainView } from "./plain-view.ts";
import { Secret } from "./secret.ts";

const PART = 12;
const MIN_LETTERS = 8;

/** Returns the plain view of a text as a string. */
function viewOf(text: string): string {
  return textOf(plainView(text).units);
}

/** Returns the views of a secret, of 12 units or more, as the documentation lists them. */
function viewsOf(secret: string): string[] {
  const cores = [0, 1, 2].map((before) => {
    const base64 = Buffer.from("x".repeat(before) + secret).toString("base64");
    const end = Math.floor(((before + secret.length) * 8) / 6);
    return base64.slice(Math.ceil((before * 8) / 6), end);
  });
  return [secret, ...cores, Buffer.from(secret).toString("hex")].map(viewOf);
}

/** Returns the parts of a view that reveal a secret, unchanged and without other characters than letters. */
function partsOf(view: string): { readonly unchanged: string[]; readonly separated: string[] } {
  const unchanged = Array.from({ length: Math.max(0, view.length - PART + 1) }, (_, at) =>
    view.slice(at, at + PART),
  );
  const letters = [...view.matchAll(/[a-z0-9]/g)].map(({ index }) => index);
  const separated = letters.flatMap((_, from) =>
    letters.slice(from + MIN_LETTERS - 1, from + PART).flatMap((last, more) => {
      const to = from + MIN_LETTERS + more;
      const start = from === 0 ? 0 : (letters[from - 1] ?? 0) + 1;
      const covered = (letters[to] ?? view.length) - start;
      return covered >= PART ? [view.slice(letters[from], last + 1).replace(/[^a-z0-9]/g, "")] : [];
    }),
  );
  return { unchanged, separated };
}

/** Returns the positions of a text that parts of secrets cover. Compares every part with every position. */
function naive(text: string, secrets: readonly string[]): Set<number> {
  const { starts, ends } = plainView(text);
  const view = viewOf(text);
  const letters = [...view.matchAll(/[a-z0-9]/g)].map(({ index }) => index);
  const skeleton = letters.map((at) => view[at]).join("");
  const hidden = new Set<number>();
  const hide = (from = 0, to = 0) => {
    for (let at = from; at < to; at++) hidden.add(at);
  };
  for (const { unchanged, separated } of secrets.flatMap(viewsOf).map(partsOf)) {
    for (const part of unchanged) {
      for (let at = view.indexOf(part); at >= 0; at = view.indexOf(part, at + 1)) {
        hide(starts[at], ends[at + part.length - 1]);
      }
    }
    for (const part of separated) {
      for (let at = skeleton.indexOf(part); at >= 0; at = skeleton.indexOf(part, at + 1)) {
        hide(starts[letters[at] ?? 0], ends[letters[at + part.length - 1] ?? 0]);
      }
    }
  }
  return hidden;
}

function found(text: string, secrets: readonly string[]): Set<number> {
  const ranges = findSecrets(
    text,
    secrets.map((secret) => new Secret(secret)),
  );
  return new Set(ranges.flatMap(([from, to]) => Array.from({ length: to - from }, (_, at) => from + at)));
}

/** Draws long secrets: with few different characters, which repeat, and with many. No two blanks in a row. */
const secrets = fc
  .oneof(
    fc.stringMatching(/^[ab1]{16,60}$/),
    fc.stringMatching(/^[a1_/.]{16,60}$/),
    fc.stringMatching(/^[A-Za-z0-9/_.=]{16,90}$/),
    fc.stringMatching(/^(?:[a-z0-9]{2,6}[-_/. ]){3,12}[0-9]{4}$/),
  )
  .map((secret) => secret.trim())
  .filter((secret) => secret.length >= 16 && !/[\s+-]{2}/.test(secret));

const WRITTEN: readonly ((text: string) => string)[] = [
  (text) => text,
  (text) => text.toUpperCase(),
  (text) => Buffer.from(text).toString("base64"),
  (text) => Buffer.from(`xy${text}`).toString("base64url"),
  (text) => Buffer.from(text).toString("hex"),
  (text) => text.replace(/.{5}/g, "$&\r\n"),
  (text) => text.replace(/[^A-Za-z0-9]/g, ":"),
  (text) => [...text].join(":"),
];

test("exactly the parts of secrets are found, also of secrets that repeat and of parts that overlap", () => {
  const pieces = fc.array(fc.tuple(fc.nat(), fc.nat(), fc.nat(40), fc.constantFrom(...WRITTEN)), {
    minLength: 1,
    maxLength: 6,
  });
  fc.assert(
    fc.property(
      fc.array(secrets, { minLength: 1, maxLength: 3 }),
      pieces,
      fc.boolean(),
      (all, drawn, isJoined) => {
        const text = drawn
          .map(([which, from, length, write]) => {
            const secret = all[which % all.length] ?? "";
            return write(secret.slice(from % secret.length, (from % secret.length) + length));
          })
          .join(isJoined ? "" : '": "');
        // words of a language are not redacted
        fc.pre(!/[a-z] [a-z]/i.test(text));
        expect(found(text, all)).toEqual(naive(text, all));
      },
    ),
    { numRuns: 3000 },
  );
});

/** Returns the least CPU time of five runs, in microseconds. Each run gets new secrets, without caches. */
function costOf(text: string, values: readonly string[]): number {
  const costs = Array.from({ length: 5 }, () => {
    const all = values.map((value) => new Secret(value));
    const { user } = process.cpuUsage();
    findSecrets(text, all);
    return process.cpuUsage().user - user;
  });
  return Math.max(500, Math.min(...costs));
}

/** Returns text that never repeats. */
function token(length: number, seed = 1): string {
  let state = seed;
  return Array.from({ length }, () => {
    state = (Math.imul(state, 1103515245) + 12345) >>> 0;
    return (state >>> 16) % 36;
  })
    .map((digit) => digit.toString(36))
    .join("");
}

const TEXT = `The value ${token(60_000).slice(300, 400)} is wrong. `.repeat(40);

const SECRETS: Readonly<Record<string, (length: number) => string>> = {
  token,
  "one character": (length) => "a".repeat(length),
  escapes: (length) => "%41\\".repeat(length / 4),
  "percent signs": (length) => "%".repeat(length),
  words: (length) => "my-refresh-token-".repeat(length / 17),
  "letters of three bytes": (length) => "\u6f22".repeat(length / 3),
  "the text": (length) => TEXT.repeat(Math.ceil(length / TEXT.length)).slice(0, length),
};

test.each(Object.keys(SECRETS))(
  "a large secret costs as much as small secrets of the same size: %s",
  (name) => {
    const make = SECRETS[name] ?? token;
    const small = Array.from({ length: 20 }, () => make(700));
    costOf(TEXT, small);
    // the quotient would be 20 if the cost were quadratic
    expect(costOf(TEXT, [make(14_000)]) / costOf(TEXT, small)).toBeLessThan(6);
  },
);

test.each([3, 7, 12, 40])("many secrets of %i characters cost little more than one secret", (length) => {
  const text = "The blog was not found. ".repeat(4000);
  const many = Array.from({ length: 200 }, (_, seed) => token(length, seed + 1));
  costOf(text, many);
  // the quotient would be 200 if the text were searched for each secret
  expect(costOf(text, many) / costOf(text, many.slice(0, 1))).toBeLessThan(15);
});

test("the cost of a search grows linearly with the size of a text", () => {
  const secret = token(1000);
  for (const piece of ["a", secret.slice(0, 20), "%41\\", `${secret.slice(0, 5)}\u2026`, "The text. "]) {
    const text = (length: number) => piece.repeat(length / piece.length);
    costOf(text(8000), [secret]);
    expect(costOf(text(80_000), [secret]) / costOf(text(8000), [secret])).toBeLessThan(30);
  }
});

test("above 16 KiB of secrets, the whole text counts as a secret, and nothing is searched", () => {
  const text = "The blog was not found.";
  const half = 8 * 1024;
  expect(findSecrets(text, [new Secret(token(half)), new Secret(token(half, 2))])).toEqual([]);
  const whole = [[0, text.length]];
  expect(findSecrets(text, [new Secret(token(half)), new Secret(token(half + 1, 2))])).toEqual(whole);
  expect(findSecrets(text, [new Secret("\u6f22".repeat(half))])).toEqual(whole);
  const tiny = Array.from({ length: 3000 }, (_, at) => new Secret(at.toString(36)));
  expect(findSecrets(text, tiny)).toEqual(whole);
  expect(findSecrets("", tiny)).toEqual([]);
  expect(costOf(TEXT, [token(600_000)])).toBeLessThanOrEqual(costOf(TEXT, [token(6000)]));
});

test("if a text repeats parts of many secrets, the whole text counts as a secret", () => {
  const common = "prefix-of-all-7-secrets-";
  const text = `unrelated: ${`${common}0: `.repeat(4000)}`;
  const all = Array.from({ length: 250 }, (_, at) => `${common}${token(20, at + 1)}`);
  expect(
    findSecrets(
      text,
      all.map((value) => new Secret(value)),
    ),
  ).toEqual([[0, text.length]]);
  expect(costOf(text, all) / costOf(text, all.slice(0, 20))).toBeLessThan(30);
});
