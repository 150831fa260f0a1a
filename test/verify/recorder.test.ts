/** Records calls of the sandbox with the recorder of the runtime, and reads the recordings with `verify`. */
import { mkdtempSync, readFileSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import type { RestOptions } from "connect-rest-runtime";
import { openRecording, type RecordingOptions } from "connect-rest-runtime/recordings";
import { CREDENTIALS } from "connect-rest-sandbox";
import { afterAll, beforeAll, expect, test } from "vitest";
import { prepareDryRun } from "../../gateway/src/config/inspect.ts";
import { exchangesIn } from "../../gateway/src/verify/recordings.ts";
import { Verifier } from "../../gateway/src/verify/verify.ts";
import { type HarEntry, recordExamples } from "./har.ts";

const directory = mkdtempSync(path.join(tmpdir(), "connect-rest-recorder-"));
afterAll(() => rmSync(directory, { recursive: true }));

type Recorder = NonNullable<RestOptions["recorder"]>;

/** A value that a description does not declare, and the beginning of all texts in such values. */
const UNDECLARED = "undeclared-7c3ae19f";

/** The keys of values that a field declares as a map, a Struct or a Value, which may contain any keys. */
const FREE: ReadonlySet<string> = new Set(["payload", "query_params", "variants"]);
/**
 * The keys of objects of which a field reads one value, and which are also an alternative place of the field.
 */
const ALTERNATIVES: ReadonlySet<string> = new Set(["users"]);

/** Adds an undeclared key to each object of a body that is not free in its keys. */
function planted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(planted);
  if (typeof value !== "object" || value === null) return value;
  const members = Object.entries(value).map(([key, each]) => [
    key,
    FREE.has(key) || (ALTERNATIVES.has(key) && !Array.isArray(each)) ? each : planted(each),
  ]);
  return {
    ...Object.fromEntries(members),
    planted_key: { text: `${UNDECLARED} of a person`, number: 7_351_973_519, list: [UNDECLARED, true] },
  };
}

/** Returns the paths of undeclared values in a body. */
function pathsOf(body: string | undefined): string[] {
  const paths: string[] = [];
  const walk = (value: unknown, at: string) => {
    if (typeof value === "string" && value.includes(UNDECLARED)) paths.push(at);
    if (typeof value !== "object" || value === null) return;
    for (const [key, each] of Object.entries(value)) walk(each, `${at}.${key}`);
  };
  if (body?.includes(UNDECLARED) === true) walk(JSON.parse(body), "");
  return paths;
}

let files = 0;
const newFile = () => path.join(directory, `${files++}.har`);

/** Records one session twice: with placeholders, and with the option `values`. */
async function recorded() {
  const problems: string[] = [];
  const open = (options: Partial<RecordingOptions>) =>
    openRecording({ file: newFile(), onProblem: (text) => problems.push(text), ...options });
  const [shown, hidden] = [newFile(), newFile()];
  const recordings = [await open({ file: hidden }), await open({ file: shown, values: true })] as const;
  const received = await recordExamples({ recorder: both(...recordings), change: planted });
  for (const each of recordings) await each.close();
  expect(problems).toEqual([]);
  return { hidden, shown, received };
}

/** Returns a recorder that records each call with two recorders. */
function both(first: Recorder, second: Recorder): Recorder {
  return {
    start(call) {
      const [outer, inner] = [first.start(call), second.start(call)];
      if (outer === undefined || inner === undefined) throw new Error("expected two recorders");
      return {
        isDry: false,
        through: (requester, origin, kind) =>
          outer.through(inner.through(requester, origin, kind), origin, kind),
      };
    },
  };
}

let session: Awaited<ReturnType<typeof recorded>>;
beforeAll(async () => {
  session = await recorded();
}, 60_000);

interface Recorded extends HarEntry {
  readonly _method: string;
  readonly response: HarEntry["response"] & { readonly content: { readonly comment?: string } };
}

const entriesOf = (text: string) =>
  (JSON.parse(text) as { log: { entries: readonly Recorded[] } }).log.entries;

async function findingsOf(file: string) {
  const { adapters, upstreams } = await prepareDryRun("connect-rest.yaml", {});
  const verifier = new Verifier(adapters, upstreams);
  for await (const exchange of exchangesIn(file)) await verifier.add(exchange, 0);
  const { findings, unknown } = verifier.result();
  return { findings, unknown };
}

test("a recording contains each exchange, without credentials and undeclared values", async () => {
  const { hidden: file, received } = session;
  const text = readFileSync(file, "utf8");
  expect(statSync(file).mode & 0o777).toBe(0o600);
  const entries = entriesOf(text);
  // A stream that its caller ends has no complete response.
  expect(entries.length).toBeGreaterThan(received.length * 0.9);
  expect(
    entries.flatMap(({ _method, response }) =>
      pathsOf(response.content.text).map((at) => `${_method} ${at}`),
    ),
  ).toEqual([]);
  expect(text).not.toContain(UNDECLARED);
  expect(text).not.toContain("7351973519");
  for (const secret of Object.values(CREDENTIALS)) expect(text).not.toContain(secret);
  expect(text).not.toMatch(/"authorization"/i);
  const withPlanted = entries.filter(({ response }) => response.content.text?.includes("planted_key"));
  expect(withPlanted.length).toBeGreaterThan(50);
});

test("declared values are recorded unchanged, and verify finds the same differences as in the real bodies", async () => {
  const values = readFileSync(session.shown, "utf8");
  expect(values).toContain(UNDECLARED);
  for (const secret of Object.values(CREDENTIALS)) expect(values).not.toContain(secret);
  const [ours, real] = [await findingsOf(session.hidden), await findingsOf(session.shown)];
  const keysOf = ({ findings }: typeof ours) =>
    findings.map(({ operation, path: at, class: as, expected, got, count }) =>
      [operation, at, as, expected, got, count].join(" "),
    );
  expect(ours.unknown).toEqual(real.unknown);
  expect(keysOf(ours).sort()).toEqual(keysOf(real).sort());
  expect(real.findings.length).toBeGreaterThan(100);
});
