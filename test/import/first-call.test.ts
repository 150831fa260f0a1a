import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fromJsonString } from "@bufbuild/protobuf";
import { createValidator } from "@bufbuild/protovalidate";
import fc from "fast-check";
import { expect, test } from "vitest";
import { SEED } from "../draws.ts";
import { CalledDocument, messagesOf } from "./calls.ts";
import { demandingDocument } from "./openapi/demanding-documents.ts";
import { OpenApi, type Operation } from "./openapi/document.ts";
import { SINGLE_FILES } from "./openapi/families.ts";
import { RecordingUpstream } from "./openapi/recording-upstream.ts";
import { RequestChecker } from "./openapi/request-checker.ts";
import { runImport } from "./project.ts";

/** Returns what the rules and the operation do not allow in the first call of a document's README. */
async function problemsOf(path: string, operations: readonly Operation[]): Promise<readonly string[]> {
  const called = await CalledDocument.load(path, "first");
  const [, data = "", name = ""] =
    /^curl -d '(.*)' -H .*\/(\w+\.v1\.\w+\/\w+)$/m.exec(called.read("README.md")) ?? [];
  if (name === "") return called.methods.some(({ methodKind }) => methodKind === "unary") ? ["no call"] : [];
  const method = called.methods.find((each) => `${each.parent.typeName}/${each.name}` === name);
  if (method === undefined) return [`${name} does not exist`];
  const message = fromJsonString(method.input, data.replaceAll("'\\''", "'"));
  const { violations = [] } = createValidator().validate(method.input, message);
  const upstream = await RecordingUpstream.start();
  const transport = called.transportTo(upstream.address);
  const failure = await messagesOf(transport, method, message).then(() => undefined, String);
  const [request] = upstream.take();
  await transport.close();
  await upstream.close();
  const operation = operations.find(({ place }) => place === called.placeOf(method));
  called.remove();
  if (request === undefined || operation === undefined) return [`${name}: ${failure ?? "unknown operation"}`];
  const checker = new RequestChecker(OpenApi.read(path), { patterns: [], merged: [], unions: [], keys: [] });
  return [...violations.map(String), ...(await checker.problems(operation, request))].map(
    (each) => `${name} ${data}: ${each}`,
  );
}

test.each(SINGLE_FILES)("the README of %s shows a valid call", async (_, path) => {
  expect(await problemsOf(path, OpenApi.read(path).operations)).toEqual([]);
});

test.each(["3.0.3", "3.1.0"] as const)(
  "property: the README of any OpenAPI %s document shows a valid call",
  async (version) => {
    const [document] = fc.sample(demandingDocument(version), {
      numRuns: 1,
      ...(SEED === undefined ? {} : { seed: SEED }),
    });
    const folder = mkdtempSync(join(tmpdir(), "first-call-"));
    const path = join(folder, "document.json");
    writeFileSync(path, JSON.stringify(document?.value));
    expect(await problemsOf(path, document?.operations ?? [])).toEqual([]);
    rmSync(folder, { recursive: true });
  },
);

/** Operations with the call that a README shows, from the operation that the README must prefer. */
const OPERATIONS: readonly (readonly [
  path: string,
  verb: string,
  schemas: readonly object[],
  call: string,
])[] = [
  ["/a", "get", [], "GetA {}"],
  [
    "/b/{id}/{x}",
    "get",
    [{ type: "string", minLength: 3 }, { enum: ["big", "small"] }],
    'GetB {"id":"111","x":"X_BIG"}',
  ],
  [
    "/c/{id}",
    "get",
    [{ type: "string", format: "uuid" }],
    'GetC {"id":"00000000-0000-4000-8000-000000000000"}',
  ],
  ["/d/{id}", "get", [{ type: "string", minLength: 50 }], `GetD {"id":"${"1".repeat(50)}"}`],
  ["/e/{id}", "get", [{ type: "string", pattern: "^zz[0-9]{7}$" }], 'GetE {"id":"1"}'],
  ["/f/{text}", "get", [{ type: "string", pattern: "^(1+)+a$", minLength: 90 }], 'GetF {"text":"1"}'],
  ["/g", "post", [], "PostG {}"],
  ["/h", "delete", [], "DeleteH {}"],
];

test.each(OPERATIONS.map((_, index) => index))(
  "the README shows the method with the fewest needs, without the first %d",
  async (first) => {
    const paths = OPERATIONS.slice(first).map(([path, verb, schemas]) => {
      const names = [...path.matchAll(/\{(\w+)\}/g)].map(([, name = ""]) => name);
      const parameters = names.map((name, index) => ({
        name,
        in: "path",
        required: true,
        schema: schemas[index],
      }));
      const operationId = `${verb}${path.charAt(1).toUpperCase()}`;
      return [path, { [verb]: { operationId, tags: ["all"], parameters, responses: {} } }];
    });
    const document = {
      openapi: "3.1.0",
      info: { title: "A", version: "1" },
      // the order in the document does not matter
      paths: Object.fromEntries(paths.toReversed()),
    };
    const folder = mkdtempSync(join(tmpdir(), "first-call-"));
    writeFileSync(join(folder, "openapi.json"), JSON.stringify(document));
    expect(await runImport([join(folder, "openapi.json"), "--output", folder])).toMatchObject({ code: 0 });
    const readme = readFileSync(join(folder, "README.md"), "utf8");
    rmSync(folder, { recursive: true });
    const [, data, path] = /^curl -d '(.*)' -H .*\/a\.v1\.AllService\/(\w+)$/m.exec(readme) ?? [];
    expect(`${path} ${data}`).toBe(OPERATIONS[first]?.[3]);
  },
);
