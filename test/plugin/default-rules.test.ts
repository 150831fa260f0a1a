/** What adapters leave out is what the runtime fills in. */
import { Code } from "@connectrpc/connect";
import { expect, test } from "vitest";
import * as generator from "../../plugin/src/model/default-rules.ts";
import { CODES } from "../../plugin/src/print/method-rules.ts";
import * as runtime from "../../runtime/src/adapter/default-rules.ts";
import { compileRequest, HEAD } from "../generator-kit/compile.ts";
import { runGenerator } from "../support/run-generator.ts";

test("the defaults of the generator are those of the runtime", () => {
  expect(generator.DEFAULT_RULES).toEqual(runtime.DEFAULT_RULES);
  expect(generator.DEFAULT_STREAM).toEqual(runtime.DEFAULT_STREAM);
});

test("codes have the names that Connect gives to their numbers", () => {
  expect(CODES.map((name) => (name === undefined ? 0 : Code[name]))).toEqual([...CODES.keys()]);
});

/** The adapter of two methods, with a service's rules. */
function adapterOf(service: string, get: string, list = ""): string {
  const source = `${HEAD}
service S {
  option (connectrest.v1.service) = {${service}};
  rpc Get(Req) returns (Res) {
    option (google.api.http) = {get: "/a/{id}"};
    option (connectrest.v1.method) = {${get}};
  }
  rpc List(Req) returns (stream Res) {
    option (google.api.http) = {get: "/a/{id}"};
    option (connectrest.v1.method) = {paginate: {items: "a", link: "next"} ${list}};
  }
}
message Req { string id = 1; string a = 2; string b = 3; string c = 4; }
message Res { string id = 1; }`;
  const { files, error } = runGenerator(compileRequest({ "s.proto": source }));
  expect(error).toBe("");
  return files["s_rest.ts"] ?? "";
}

test("rules that are the defaults are not printed", () => {
  const text = adapterOf('upstream: "s"', "");
  expect(text).toContain('const S_rules = { upstream: "s" } satisfies Partial<MethodRules>;');
  expect(text).toContain("rules: { ...S_rules, idempotent: true },");
  for (const name of ["success", "scopes", "errors", "responseEncoding", "rawErrorBody", "maxPages"]) {
    expect(text).not.toContain(`${name}:`);
  }
});

test("a default is printed where it replaces a rule of the service", () => {
  const text = adapterOf('upstream: "s" raw_error_body: true', "raw_error_body: false");
  expect(text).toContain('const S_rules = { upstream: "s", rawErrorBody: true }');
  expect(text).toContain("rules: { ...S_rules, rawErrorBody: false, idempotent: true },");
});

test("a stream with the request of a list takes it, and its rules, from there", () => {
  const text = adapterOf('upstream: "s"', "");
  expect(text.match(/new RequestWriter/g)).toHaveLength(1);
  expect(text).toContain("  rules: S_get.rules,\n  request: S_get.request,\n");
  const other = adapterOf('upstream: "s"', "", 'scopes: "x" credentials: OAUTH2');
  expect(other).toContain(
    '  rules: { ...S_rules, credentials: ["oauth2"], scopes: ["x"], idempotent: true },\n  request: S_get.request,\n',
  );
});

test("codes are printed by their names", () => {
  const text = adapterOf('upstream: "s" errors: {status: 404, code: NOT_FOUND, reason: "NONE"}', "");
  expect(text).toContain('errors: [{ status: 404, code: Code.NotFound, reason: "NONE" }]');
  expect(text).toContain("import {\n  Code,\n");
});

test("methods, services and tables say what they are generated from", () => {
  const text = adapterOf('upstream: "s"', "");
  const sources = [...text.matchAll(/@generated from (.*?)(?: \*\/)?$/gm)].map(([, source]) => source);
  expect(sources).toEqual([
    "file s.proto (package test.v1, syntax proto3)",
    "message test.v1.Res",
    "rpc test.v1.S.Get",
    "rpc test.v1.S.List",
    "service test.v1.S",
  ]);
});

test("a body without members is printed without what a body needs", () => {
  const source = `${HEAD}
service S { rpc Act(Req) returns (Req) { option (google.api.http) = {post: "/{id}:act" body: "*"}; } }
message Req { string id = 1; }`;
  const text = runGenerator(compileRequest({ "s.proto": source })).files["s_rest.ts"] ?? "";
  expect(text).toContain("request.json({});");
  expect(text).not.toContain("JsonRecord");
});
