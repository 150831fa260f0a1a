/** Plants changes into recordings of the sandbox, and expects exactly these changes in the report. */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import fc from "fast-check";
import { afterAll, beforeAll, expect, test } from "vitest";
import { prepareDryRun } from "../../gateway/src/config/inspect.ts";
import type { Finding, Verification } from "../../gateway/src/verify/finding.ts";
import { exchangeOf } from "../../gateway/src/verify/har-entry.ts";
import { messagesBelow } from "../../gateway/src/verify/object-fields.ts";
import { reportJson } from "../../gateway/src/verify/report-json.ts";
import { reportJunit } from "../../gateway/src/verify/report-junit.ts";
import { reportText } from "../../gateway/src/verify/report-text.ts";
import { Verifier } from "../../gateway/src/verify/verify.ts";
import { type HarEntry, ORIGIN, recordExamples } from "./har.ts";
import { changed, DeclaredNames, renamed, type Site, type Steps, sitesIn, wireNames } from "./sites.ts";

/** A value that no report may contain. */
const SECRET = "planted-value-6c1f";
const KEY = "planted_key";

const directory = mkdtempSync(path.join(tmpdir(), "connect-rest-planted-"));
let prepared: Awaited<ReturnType<typeof prepareDryRun>>;
let entries: readonly HarEntry[];
/** The entries whose operation does not depend on other entries. */
const alone: HarEntry[] = [];
let sites: readonly Site[];
let names: DeclaredNames;
/** The result for the recordings without changes. */
let before: Verification;
/** The keys of all bodies. */
let keys: ReadonlySet<string>;
/** The paths of keys that no field reads. */
let unread: readonly string[];

beforeAll(async () => {
  const file = path.join(directory, "connect-rest.yaml");
  const text = readFileSync("connect-rest.yaml", "utf8")
    .replaceAll("./gen/", `${path.resolve("gen")}/`)
    .replace("https://api.events.example", `${ORIGIN}/feed`)
    .replace("https://www.blog.example", ORIGIN);
  writeFileSync(file, text);
  prepared = await prepareDryRun(file, {});
  entries = await recordExamples();
  const methods = prepared.adapters.flatMap((adapter) => Object.values(adapter.methods));
  names = new DeclaredNames(messagesBelow(methods.map(({ method }) => method.output)).values());
  // the operation of a later page is known only from the link to it
  for (const entry of entries) if ((await verified([entry])).operations.size > 0) alone.push(entry);
  sites = alone.flatMap(sitesIn);
  keys = new Set(sites.map(({ key }) => key));
  before = await verified(entries);
  unread = [...new Set(before.findings.map((finding) => finding.path))];
}, 60_000);
afterAll(() => rmSync(directory, { recursive: true }));

async function verified(recorded: readonly HarEntry[]): Promise<Verification> {
  const verifier = new Verifier(prepared.adapters, prepared.upstreams);
  for (const entry of recorded) await verifier.add(exchangeOf(JSON.stringify(entry)), 0);
  return verifier.result();
}

/** Returns the findings that only the changed recordings have. */
async function planted(old: readonly HarEntry[], after: readonly HarEntry[]): Promise<readonly Finding[]> {
  const { findings } = old === entries ? before : await verified(old);
  const known = new Set(findings.map(identity));
  const result = await verified(after);
  const report = { ...result, accepted: 0 };
  for (const print of [reportText, reportJson, reportJunit]) expect(print(report)).not.toContain(SECRET);
  return result.findings.filter((finding) => !known.has(identity(finding)));
}

function identity({ operation, in: place, path: at, class: as, expected, got }: Finding): string {
  return JSON.stringify([operation, place, at, as, expected, got]);
}

/** Draws a site of the sites that `isMeant` accepts. */
function site(isMeant: (site: Site) => boolean): fc.Arbitrary<Site> {
  return fc.constantFrom(...sites.filter(isMeant));
}

/** Reports whether messages, not maps or Structs, lead to an object. */
function isClear({ entry, object }: Site): boolean {
  const isUnread = /filtered_/.test(entry.request.url);
  return !isUnread && !object.some((step) => typeof step === "string" && names.free.has(step));
}

/** Reports whether a key is below the payload, and neither selects members nor has any content. */
function isPlain(where: Site): boolean {
  const { object, key } = where;
  const isInPayload = object.length > 0 && object[0] !== "meta";
  return isInPayload && isClear(where) && !names.free.has(key) && !names.selectors.has(key);
}

/** Reports whether a key is plain, and no recording contains another name of its fields. */
function isOnlyName(where: Site): boolean {
  const fields = [...(names.fields.get(where.key) ?? [])];
  const isOnly = (name: string) => name === where.key || !keys.has(name);
  return isPlain(where) && fields.every((field) => wireNames(field).every(isOnly));
}

/** Reports whether a field reads a key, and under this name alone. */
function isRead(where: Site): boolean {
  const pattern = pathOf(where.object, where.key);
  return isOnlyName(where) && !unread.some((each) => pattern.test(each));
}

/** Reports whether all fields with the name of a key are enums. */
function isEnum(where: Site): boolean {
  const fields = [...(names.fields.get(where.key) ?? [])];
  return isPlain(where) && fields.length > 0 && fields.every((field) => field.enum !== undefined);
}

function pathOf(object: Steps, key: string): RegExp {
  return new RegExp(`^${names.pattern(object, key)}(?:\\[\\])*$`);
}

function below(object: Steps, key: string): RegExp {
  return new RegExp(`^${names.pattern(object, key)}(?:[.[{]|$)`);
}

/** Returns the declarations of a key. The items of a stream are declared by their message alone. */
function places(key: string): readonly string[] {
  const items = [...(names.fields.get(key) ?? [])].map((field) => field.message?.typeName ?? "");
  return [...declared(key), ...items.filter((name) => name !== "")];
}

function declared(key: string): readonly string[] {
  return [...(names.fields.get(key) ?? [])].map(({ parent, name }) => `${parent.typeName}.${name}`);
}

test("a planted key is found once, at its path", { timeout: 120_000 }, async () => {
  await fc.assert(
    fc.asyncProperty(site(isClear), async (where) => {
      const found = await planted(
        [where.entry],
        [changed(where, (object) => ({ ...object, [KEY]: SECRET }))],
      );
      expect(found).toMatchObject([
        {
          class: "additional",
          got: "string",
          count: 1,
          samples: 1,
          length: { least: SECRET.length, most: SECRET.length },
        },
      ]);
      expect(found[0]?.path).toMatch(pathOf(where.object, KEY));
    }),
    { numRuns: 200 },
  );
});

test("a planted type is found at its path, with the declaration of its field", {
  timeout: 120_000,
}, async () => {
  await fc.assert(
    fc.asyncProperty(site(isOnlyName), async (where) => {
      const value = [[{ [KEY]: SECRET }], [SECRET]];
      const found = await planted(
        [where.entry],
        [changed(where, (object) => ({ ...object, [where.key]: value }))],
      );
      const at = found.filter((each) => pathOf(where.object, where.key).test(each.path));
      // a value below the key may also be lost
      expect(at.length, JSON.stringify({ where: [where.object, where.key], found })).toBeGreaterThan(0);
      for (const { path: other } of found.filter((each) => !at.includes(each))) {
        expect(other).toMatch(below(where.object, where.key));
      }
      const [first] = at;
      if (first?.class !== "additional") expect(places(where.key)).toContain(first?.declaration);
    }),
    { numRuns: 200 },
  );
});

test("a renamed key is found under its new name, and its field as lacking", {
  timeout: 240_000,
}, async () => {
  await fc.assert(
    fc.asyncProperty(site(isRead), async ({ key }) => {
      const after = entries.map((entry) =>
        renamed(entry, (each) => (each === key ? `${key}_renamed` : each)),
      );
      const found = await planted(entries, after);
      expect(found.some((each) => each.path.endsWith(`${key}_renamed`))).toBe(true);
      expectLacking(await verified(after), key);
    }),
    { numRuns: 5 },
  );
});

test("a removed key is reported as a field that no recording contains", { timeout: 240_000 }, async () => {
  await fc.assert(
    fc.asyncProperty(site(isRead), async ({ key }) => {
      const after = entries.map((entry) => renamed(entry, (each) => (each === key ? undefined : each)));
      expectLacking(await verified(after), key);
    }),
    { numRuns: 5 },
  );
});

/** Expects that a field with the name of a key, which recordings contained before, is now lacking. */
function expectLacking(after: Verification, key: string): void {
  const lacking = after.uncovered.fields.filter((name) => !before.uncovered.fields.includes(name));
  expect(declared(key).filter((name) => lacking.includes(name))).not.toEqual([]);
}

test("a planted name of an enum is found at its field", { timeout: 120_000 }, async () => {
  await fc.assert(
    fc.asyncProperty(site(isEnum), async (where) => {
      const found = await planted(
        [where.entry],
        [changed(where, (object) => ({ ...object, [where.key]: SECRET }))],
      );
      expect(found.some((each) => pathOf(where.object, where.key).test(each.path))).toBe(true);
      for (const each of found) expect(each.expected).toMatch(/^(?:one of |no such key$)/);
    }),
    { numRuns: 100 },
  );
});

test("a planted error is found at its method", { timeout: 120_000 }, async () => {
  await fc.assert(
    fc.asyncProperty(fc.nat(), async (index) => {
      const entry = alone[index % alone.length] as HarEntry;
      const response = { ...entry.response, status: 418 };
      const [found, ...others] = await planted([entry], [{ ...entry, response }]);
      expect(others).toEqual([]);
      expect(found).toMatchObject({
        class: "additional",
        path: "(status 418)",
        got: "CLIENT_ERROR",
        count: 1,
      });
    }),
    { numRuns: 50 },
  );
});

test("planted names and values in requests are found", { timeout: 120_000 }, async () => {
  const listed = entries.filter(
    ({ request }) => request.method === "GET" && /\/v2\/tagged\?/.test(request.url),
  );
  for (const entry of listed) {
    const with_ = (query: string) => {
      const url = new URL(entry.request.url);
      url.search += `${url.search === "" ? "?" : "&"}${query}`;
      return { ...entry, request: { ...entry.request, url: url.href } };
    };
    expect(await planted([entry], [with_(`planted=${SECRET}`)])).toMatchObject([
      { in: "request", class: "additional", path: "query planted", got: "string" },
    ]);
    expect(await planted([entry], [with_(`limit=${SECRET}`)])).toMatchObject([
      {
        in: "request",
        class: "lost",
        path: "query limit",
        declaration: "blog.v1.ListTaggedPostsRequest.limit",
      },
    ]);
  }
  expect(listed.length).toBeGreaterThan(0);
});
