/** Checks that an error rule is reported if an earlier rule already matches all of its responses. */
import fc from "fast-check";
import { expect, test } from "vitest";
import type { MethodRules } from "../../runtime/src/adapter/rules.ts";
import { upstreamError } from "../../runtime/src/errors/upstream-error.ts";
import { compileRequest, HEAD } from "../generator-kit/compile.ts";
import { runGenerator } from "../support/run-generator.ts";

/** Conditions of each part of a rule, in the form of the annotation. */
const STATUSES = ["", "status: 404", "status: 409"] as const;
const SUBCODES = ["", "subcode: 7", 'subcode_text: "7"', 'subcode_text: "x"'] as const;
const HEADERS = [
  "",
  'header: {name: "X-Kind"}',
  'header: {name: "x-kind", value: "A"}',
  'header: {name: "X-Kind", value: "a"}',
] as const;
const BODIES = [
  "",
  'body: {key: "k", present: true}',
  'body: {key: "k", present: false}',
  'body: {key: "k", values: "a"}',
  'body: {key: "k", values: ["a", "7"]}',
  'body: {key: "k", values: "7"}',
  'body: {key: "k", type: "string"}',
  'body: {key: "k", type: "number"}',
  'body: {key: "l", values: "a"}',
] as const;

const rule = fc
  .tuple(...[STATUSES, SUBCODES, HEADERS, BODIES].map((each) => fc.constantFrom(...each)))
  .map((parts) => parts.filter((part) => part !== ""))
  .filter((parts) => parts.length > 0);

/** Two rules; the second one often equals the first one with an additional condition. */
const pair = fc.oneof(
  fc.tuple(rule, rule),
  fc.tuple(rule, rule).map(([first, more]) => {
    const names = new Set(first.map((part) => part.split(/[:_]/)[0]));
    return [first, [...first, ...more.filter((part) => !names.has(part.split(/[:_]/)[0]))]] as const;
  }),
);

/** Responses that cover every combination of the conditions. */
const RESPONSES = [404, 409, 500].flatMap((status) =>
  [undefined, 7, "7", "x"].flatMap((code) =>
    [undefined, "a", "b"].flatMap((kind) =>
      [{}, { k: "a" }, { k: "b" }, { k: 7 }, { k: 8 }, { k: "7" }, { k: null }, { k: [] }].flatMap((k) =>
        [{}, { l: "a" }].map((l) => ({
          status,
          kind,
          json: { ...(code !== undefined && { code }), ...k, ...l },
        })),
      ),
    ),
  ),
);

/** Returns a rule in the format of the runtime. The annotation is JSON with unquoted keys. */
function runtimeRule(parts: readonly string[], reason: string): object {
  const json = JSON.parse(`{${parts.join(", ").replace(/(\w+):/g, '"$1":')}}`);
  const { subcode_text: text, body, ...rest } = json;
  const values = body?.values === undefined ? {} : { values: [body.values].flat() };
  return {
    ...rest,
    reason,
    ...(text !== undefined && { subcode: text }),
    ...(body !== undefined && { body: { ...body, ...values } }),
  };
}

/** Returns the reasons that the rules give to the responses. */
function reasonsBy(rules: readonly object[]): ReadonlySet<string> {
  const shapes = [{ kind: "items", path: "", title: "title", code: "code", detail: "detail" }];
  const all = {
    upstream: "u",
    errors: rules,
    errorShapes: shapes,
    credentials: [],
  } as unknown as MethodRules;
  const reasons = RESPONSES.map(({ status, kind, json }) => {
    const header = (name: string) => (name === "x-kind" ? kind : undefined);
    const body = Buffer.from(JSON.stringify(json));
    const response = { status, json, body, truncated: false, header, secrets: [] };
    const { details } = upstreamError(response as unknown as Parameters<typeof upstreamError>[0], all, 0);
    return String(Object((details[0] as { value?: unknown }).value).reason);
  });
  return new Set(reasons);
}

test("property: an error rule is reported exactly when no response can reach it", () => {
  const pairs = fc.sample(pair, 300);
  const sources = pairs.map(
    ([first, second], index) =>
      `  rpc M${index}(Req) returns (Res) { option (google.api.http) = {get: "/a"};\n    option (connectrest.v1.method) = {errors: [{${first.join(", ")}, reason: "FIRST"}, {${second.join(", ")}, reason: "SECOND"}]}; }`,
  );
  const source = `service S {\n${sources.join("\n")}\n}\nmessage Req {}\nmessage Res {}`;
  const { error } = runGenerator(compileRequest({ "e.proto": HEAD.replace("test.v1", "e") + source }), {
    fileToGenerate: ["e.proto"],
  });
  const reported = new Set(
    [...error.matchAll(/no-effect: error rule 2 of e\.S\.M(\d+) has no effect/g)].map(([, index]) =>
      Number(index),
    ),
  );
  const others = error.split("\n").filter((line) => line !== "" && !line.includes("no-effect: error rule 2"));
  expect(others).toEqual([]);
  let reachable = 0;
  pairs.forEach(([first, second], index) => {
    const alone = reasonsBy([runtimeRule(second, "SECOND")]).has("SECOND");
    const both = reasonsBy([runtimeRule(first, "FIRST"), runtimeRule(second, "SECOND")]).has("SECOND");
    if (!alone) return;
    reachable += 1;
    expect(reported.has(index), JSON.stringify([first, second])).toBe(!both);
  });
  expect(reported.size).toBeGreaterThan(20);
  // Most of the random rules must match a response; unreachable rules alone would prove little.
  expect(reachable).toBeGreaterThan(150);
});
