import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { Secret } from "connect-rest-runtime";
import fc from "fast-check";
import { afterAll, expect, test } from "vitest";
import { LIMIT_NAMES, LIMIT_TABLE, type LimitEntry, withDefaultLimits } from "../limits.ts";
import { changedContents, changesBetween, changesOf } from "./changes.ts";
import { prepare } from "./inspect.ts";
import { type Config, loadConfig } from "./load.ts";

const directory = mkdtempSync(path.join(tmpdir(), "connect-rest-changes-"));
afterAll(() => rmSync(directory, { recursive: true }));

function load(text: string): Config {
  const file = path.join(directory, "connect-rest.yaml");
  writeFileSync(file, `adapters: [a.ts]\n${text}`);
  return loadConfig(file, {});
}

const limits = withDefaultLimits();

/** Settings by path, each with two values: all settings that can change at run time, and many that cannot. */
const SETTINGS: readonly (readonly [path: string, one: unknown, other: unknown, isLive: boolean])[] = [
  ["log.level", "info", "debug", true],
  ["strict", false, true, false],
  ["webAssembly", true, false, false],
  ["server.port", 1, 2, false],
  ["server.origins", [], ["*"], false],
  ["server.allowedHeaders", [], ["*"], false],
  ["server.metrics.port", 1, 2, false],
  ["server.diagnostics.port", 1, 2, false],
  ["server.tls.certificate", "a.crt", "b.crt", true],
  ["server.tls.clientCa", "a.crt", "b.crt", true],
  ["upstreams.a.baseUrl", "http://a.example", "http://b.example", false],
  ["upstreams.a.connections", 1, 2, false],
  ["upstreams.a.credentials.apiKey", { env: "A" }, { env: "B" }, true],
  ["upstreams.a.credentials.oauth2.accessToken", { env: "A" }, { file: "b" }, true],
  ["upstreams.a.credentials.passThrough.basic.header", "x-a", "x-b", false],
  ["routes.exclude", [], ["a.v1.A"], false],
  ...LIMIT_NAMES.map((name) => {
    const { reloads = false }: LimitEntry = LIMIT_TABLE[name];
    return [`server.limits.${name}`, limits[name], limits[name] - 1 || 2, reloads] as const;
  }),
];

const BASE = {
  upstreams: { a: { baseUrl: "http://a.example", credentials: { apiKey: { env: "A" } } } },
  server: { tls: { certificate: "a.crt", key: "a.key" } },
};

/** YAML is a superset of JSON. */
function textOf(values: readonly (readonly [path: string, value: unknown])[]): string {
  const root: Record<string, unknown> = structuredClone(BASE);
  for (const [place, value] of values) {
    const keys = place.split(".");
    const last = keys.pop() ?? "";
    let parent = root;
    for (const key of keys) {
      parent[key] ??= {};
      parent = parent[key] as Record<string, unknown>;
    }
    parent[last] = value;
  }
  return Object.entries(root)
    .map(([key, value]) => `${key}: ${JSON.stringify(value)}`)
    .join("\n");
}

test("changed settings that apply live are listed separately from changed settings that need a restart", () => {
  fc.assert(
    fc.property(fc.subarray([...SETTINGS]), (changed) => {
      const before = load(textOf(SETTINGS.map(([place, one]) => [place, one])));
      const after = load(
        textOf(SETTINGS.map((each) => [each[0], changed.includes(each) ? each[2] : each[1]])),
      );
      const { live, restart } = changesBetween(before, after);
      /** A changed secret appears under its environment variable or file setting. */
      const named = (list: readonly string[]) => [
        ...new Set(list.map((each) => each.replace(/\.(?:env|file)$/, ""))),
      ];
      const expected = (isLive: boolean) =>
        changed.filter((each) => each[3] === isLive).map(([place]) => place);
      expect(named(live)).toEqual(expected(true).toSorted());
      expect(named(restart)).toEqual(expected(false).toSorted());
    }),
    { numRuns: 100 },
  );
});

test.each([
  ["an added certificate", "", "server: { tls: { certificate: a, key: b } }"],
  [
    "added client authorities",
    "server: { tls: { certificate: a, key: b } }",
    "server: { tls: { certificate: a, key: b, clientCa: c } }",
  ],
  ["another upstream", "", "upstreams: { a: { baseUrl: 'http://a.example' } }"],
])("%s needs a restart", (_, before, after) => {
  for (const [one, other] of [
    [before, after],
    [after, before],
  ] as const) {
    const { live, restart } = changesBetween(load(one), load(other));
    expect(live).toEqual([]);
    expect(restart.length).toBeGreaterThan(0);
  }
});

test("upstreams whose proxy secrets or TLS files have new contents are reported", () => {
  const proxy = (password: string) => ({
    url: "http://p.example",
    username: "u",
    password: new Secret(password),
  });
  const running = {
    a: { proxy: proxy("one"), tls: { ca: "one" } },
    b: { proxy: proxy("one"), tls: { ca: "one", key: new Secret("one") } },
    gone: { proxy: proxy("one") },
    none: { proxy: false as const },
  };
  const next = {
    a: { proxy: proxy("two"), tls: { ca: "one" } },
    b: { proxy: proxy("one"), tls: { ca: "one", key: new Secret("two") } },
    none: { proxy: proxy("one") },
  };
  expect(changedContents(running, next)).toEqual(["upstreams.a.proxy", "upstreams.b.tls"]);
  expect(changedContents(running, running)).toEqual([]);
});

/** The settings that are secrets, and whether a change applies without a restart. */
const SECRETS: readonly (readonly [path: string, isLive: boolean])[] = [
  ["watch.resumeKey", false],
  ["watch.previousResumeKey", false],
  ["bus.username", false],
  ["bus.password", false],
  ["bus.key", false],
  ["bus.previousKey", false],
  ["upstreams.echo.credentials.apiKey", true],
  ["upstreams.echo.credentials.basic.username", true],
  ["upstreams.echo.credentials.basic.password", true],
  ["authorization.signIn.keys[0]", false],
  ["upstreams.echo.signIn.oauth2.clientSecret", false],
];

test("among secrets with new values, only those that need a restart are reported", async () => {
  const text = `
adapters: [${path.resolve(import.meta.dirname, "../testing/personal-echo-rest.ts")}]
watch: { resumeKey: { env: S0 }, previousResumeKey: { env: S1 } }
bus: { url: "redis://127.0.0.1", username: { env: S2 }, password: { env: S3 }, key: { env: S4 }, previousKey: { env: S5 } }
upstreams:
  echo:
    baseUrl: https://echo.example
    credentials: { apiKey: { env: S6 }, basic: { username: { env: S7 }, password: { env: S8 } } }
    signIn:
      oauth2:
        authorizationEndpoint: https://id.example/authorize
        tokenEndpoint: https://id.example/token
        clientId: one
        clientSecret: { env: S10 }
      identity: { url: "https://id.example/me", field: sub }
authorization: { publicUrl: "http://127.0.0.1:8080", signIn: { keys: [{ env: S9 }] } }
`;
  const file = path.join(directory, "secrets.yaml");
  writeFileSync(file, text);
  const read = (changed: readonly string[]) => {
    const entries = SECRETS.map(([place], index) => {
      const secret = Buffer.alloc(32, `${index}${changed.includes(place) ? "b" : "a"}`).toString("base64");
      return [`S${index}`, secret] as const;
    });
    return prepare(file, Object.fromEntries(entries));
  };
  const before = await read([]);
  await fc.assert(
    fc.asyncProperty(fc.subarray([...SECRETS]), async (changed) => {
      const after = await read(changed.map(([place]) => place));
      const expected = changed.filter(([, isLive]) => !isLive).map(([place]) => place);
      expect(changesOf(before, after)).toEqual({ live: [], restart: expected.toSorted() });
    }),
    { numRuns: 15 },
  );
});
