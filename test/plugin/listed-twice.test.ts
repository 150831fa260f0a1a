/** Checks that every list of values in the annotation language is compared. */
import { create, createFileRegistry, type DescField, type DescMessage } from "@bufbuild/protobuf";
import { FileDescriptorSetSchema } from "@bufbuild/protobuf/wkt";
import { expect, test } from "vitest";
import {
  COMPARED_ELSEWHERE,
  checkListedTwice,
  checkMessageListsTwice,
} from "../../plugin/src/descriptors/listed-twice.ts";
import { Problems } from "../../plugin/src/diagnostics/problem.ts";
import { FieldRulesSchema, OneofRulesSchema } from "../../plugin/src/gen/connectrest/v1/field_rules_pb.ts";
import {
  MethodRulesSchema,
  ServiceRulesSchema,
} from "../../plugin/src/gen/connectrest/v1/method_rules_pb.ts";
import { compileRequest, HEAD } from "../generator-kit/compile.ts";

/** A rule with a list of strings: the names of the fields that lead to the list. */
type Path = readonly DescField[];

function listsIn(schema: DescMessage, path: Path = []): Path[] {
  return schema.fields.flatMap((field) => {
    const below = [...path, field];
    if (path.includes(field)) return [];
    if (field.message !== undefined) return listsIn(field.message, below);
    return field.fieldKind === "list" && !COMPARED_ELSEWHERE.has(field) ? [below] : [];
  });
}

/** Writes a rule whose list contains one value twice. */
function written([field, ...below]: Path): string {
  if (field === undefined) return "";
  if (below.length > 0) return `${field.name}: {${written(below)}}`;
  const [value = ""] =
    field.enum === undefined ? ['"abc"'] : field.enum.values.slice(-1).map(({ name }) => name);
  const text =
    field.fieldKind === "list" && field.listKind === "scalar" && field.scalar !== 9 ? "404" : value;
  return `${field.name}: [${text}, ${text}]`;
}

const PLACES: ReadonlyArray<readonly [schema: DescMessage, source: (rule: string) => string]> = [
  [
    MethodRulesSchema,
    (rule) =>
      `service S { rpc Get(Req) returns (Res) { option (google.api.http) = {get: "/a"}; option (connectrest.v1.method) = {${rule}}; } } message Req {} message Res {}`,
  ],
  [
    ServiceRulesSchema,
    (rule) =>
      `service S { option (connectrest.v1.service) = {${rule}}; rpc Get(Req) returns (Res) { option (google.api.http) = {get: "/a"}; } } message Req {} message Res {}`,
  ],
  [
    FieldRulesSchema,
    (rule) =>
      `service S { rpc Get(Req) returns (Res) { option (google.api.http) = {get: "/a"}; } } message Req {} message Res { string a = 1 [(connectrest.v1.field) = {${rule}}]; }`,
  ],
  [
    OneofRulesSchema,
    (rule) =>
      `service S { rpc Get(Req) returns (Res) { option (google.api.http) = {get: "/a"}; } } message Req {} message Res { oneof o { option (connectrest.v1.oneof) = {${rule}}; string a = 1; string b = 2; } }`,
  ],
];

/** Returns the problems of each source, also if it breaks other rules. */
function problemsOf(sources: readonly string[]): string[][] {
  const files = sources.map((source, index) => [
    `c${index}.proto`,
    HEAD.replace("test.v1", `c${index}`) + source,
  ]);
  const { protoFile } = compileRequest(Object.fromEntries(files));
  const registry = createFileRegistry(create(FileDescriptorSetSchema, { file: protoFile }));
  return sources.map((_, index) => {
    const problems = new Problems();
    const add = (...[desc, place, text]: Parameters<Parameters<typeof checkListedTwice>[1]>) =>
      problems.add(desc, place, "listed-twice", text);
    const method = registry.getService(`c${index}.S`)?.methods[0];
    if (method === undefined) throw new Error(`source ${index} has no method`);
    checkListedTwice(method, add);
    checkMessageListsTwice(method.output, add);
    return problems.lines();
  });
}

test("a value that a list of any rule contains twice is reported once, with the name of the list", () => {
  const drawn = PLACES.flatMap(([schema, source]) =>
    listsIn(schema).map((path) => ({ name: path.at(-1)?.name, rule: written(path), source })),
  );
  expect(drawn.length).toBeGreaterThan(15);
  const problems = problemsOf(drawn.map(({ rule, source }) => source(rule)));
  const reported = drawn.map(({ rule }, index) => {
    const names = (problems[index] ?? []).map(
      (line) => /listed-twice: (\w+) of .* twice; remove one$/.exec(line)?.[1],
    );
    return [rule, names];
  });
  expect(reported).toEqual(drawn.map(({ name, rule }) => [rule, [name]]));
});
