/**
 * Checks that the body of a request matches its Content-Type, for every rule that can declare the
 * Content-Type.
 */
import { expect, test } from "vitest";
import { HEAD } from "../generator-kit/compile.ts";
import { problemsOf } from "./load-adapters.ts";

/** The types of a field that is the whole body, and whether JSON writes the type as one scalar. */
const TYPES: Readonly<Record<string, boolean>> = {
  bytes: true,
  "optional bytes": true,
  string: true,
  int64: true,
  bool: true,
  Tone: true,
  "google.protobuf.BytesValue": true,
  "google.protobuf.StringValue": true,
  "google.protobuf.Timestamp": true,
  "google.protobuf.Duration": true,
  "google.api.HttpBody": false,
  Leaf: false,
  "repeated string": false,
  "map<string, bytes>": false,
  "google.protobuf.Value": false,
};

/** Content-Types, and whether they mean JSON. */
const CONTENT_TYPES: Readonly<Record<string, boolean>> = {
  "application/json": true,
  "Application/JSON; charset=utf-8": true,
  "application/merge-patch+json": true,
  "application/x-amz-json-1.1": true,
  "text/plain": false,
  "text/csv; note=json": false,
  "application/octet-stream": false,
  "image/png": false,
  "application/xml": false,
};

interface Case {
  readonly title: string;
  readonly service: string;
  readonly source: string;
  /** Whether a JSON body would be sent with a Content-Type other than JSON. */
  readonly isContradiction: boolean;
}

const FIELD = '[(connectrest.v1.field) = {in: HEADER, name: "Content-Type"}]';

const CASES = Object.entries(TYPES).flatMap(([type, isScalar], row): Case[] => {
  const ofType = (at: string, title: string, rules: readonly string[], isContradiction: boolean): Case => {
    const [ofService = "", ofMethod = "", fields = ""] = rules;
    const service = `S${row}x${at}`;
    return {
      title: `${type}: ${title}`,
      service,
      isContradiction: isScalar && isContradiction,
      source:
        `service ${service} { ${ofService} rpc Send(${service}Req) returns (Leaf) { ` +
        `option (google.api.http) = {post: "/a" body: "data"}; ${ofMethod} } } ` +
        `message ${service}Req { ${type} data = 1; ${fields} }\n`,
    };
  };
  const ofTypes = Object.entries(CONTENT_TYPES).flatMap(([contentType, isJson], index) => {
    const headers = `headers = {name: "content-type", value: "${contentType}"};`;
    const [service, method] = ["service", "method"].map((of) => `option (connectrest.v1.${of}).${headers}`);
    return [
      ofType(`s${index}`, `${contentType} of the service`, [service as string], !isJson),
      ofType(`m${index}`, `${contentType} of the method`, ["", method as string], !isJson),
    ];
  });
  return [
    ...ofTypes,
    ofType("n", "no rule", [], false),
    ofType("f", "of the request", ["", "", `string type = 2 ${FIELD};`], true),
  ];
});

function filesOf(cases: readonly Case[]): Record<string, string> {
  const types = "enum Tone { NONE = 0; LOW = 1; } message Leaf { string id = 1; }\n";
  const head = `${HEAD}import "google/api/httpbody.proto";\n${types}`;
  return { "a.proto": head + cases.map(({ source }) => source).join("") };
}

test("a scalar body is reported exactly when its Content-Type may be something other than JSON", () => {
  const lines = (filesOf(CASES)["a.proto"] as string).split("\n");
  const found = problemsOf(filesOf(CASES)).map((problem) => {
    const [, line, , code] = problem.split(":");
    const source = lines[Number(line) - 1];
    return `${CASES.find((each) => `${source}\n` === each.source)?.title}${code}`;
  });
  const wanted = CASES.filter((each) => each.isContradiction);
  expect(wanted.length).toBeGreaterThan(50);
  const titles = wanted.map(({ title }) => `${title} body-content-type`);
  // This body has its own Content-Type.
  titles.push("google.api.HttpBody: of the request name-twice");
  expect(found.toSorted()).toEqual(titles.toSorted());
});
