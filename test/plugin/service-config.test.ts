import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { CodeGeneratorRequest } from "@bufbuild/protobuf/wkt";
import fc from "fast-check";
import { afterAll, beforeAll, expect, test } from "vitest";
import { routesGenerator } from "../../examples/generator/src/generator.ts";
import { parseServiceConfig } from "../../plugin/src/config/service-config.ts";
import { Problems } from "../../plugin/src/diagnostics/problem.ts";
import { respond } from "../../plugin/src/kit/generator.ts";
import { compileRequest, HEAD } from "../generator-kit/compile.ts";
import { runGenerator } from "../support/run-generator.ts";

/** A third-party API without HTTP annotations. */
const PLAIN = `service Shelves {
  rpc GetShelf(ShelfRequest) returns (Shelf);
  rpc ListShelves(ShelfRequest) returns (Shelf);
}
message ShelfRequest {
  string id = 1;
  repeated string tags = 2;
  Kind kind = 3;
}
message Shelf {
  string id = 1;
  string owner_name = 2;
  google.protobuf.Timestamp since = 3;
  oneof content { Books books = 4; Music music = 5; }
  Size size = 6;
}
message Size { int32 width = 1; int32 height = 2; }
message Books { string title = 1; }
message Music { string artist = 1; }
enum Kind { KIND_UNSPECIFIED = 0; OAK = 1; }
`;

/** The same API with annotations. */
const ANNOTATED = `service Shelves {
  option (connectrest.v1.service) = {
    upstream: "shelves"
    envelope: {payload: "response"}
    headers: [{name: "X-Old", value: "1"}]
  };
  rpc GetShelf(ShelfRequest) returns (Shelf) {
    option (google.api.http) = {get: "/old/{id}" additional_bindings: {get: "/older"}};
    option (connectrest.v1.method) = {timeout: {seconds: 9}, scopes: "read", credentials: OAUTH2};
  }
}
message ShelfRequest { string id = 1 [(connectrest.v1.field).name = "shelf id"]; }
message Shelf { string id = 1; }
`;

const folder = mkdtempSync(join(tmpdir(), "service-config-"));
let plain: CodeGeneratorRequest;
let annotated: CodeGeneratorRequest;
let count = 0;

beforeAll(() => {
  const one = compileRequest({
    "plain.proto": HEAD.replace("test.v1", "plain") + PLAIN,
    "annotated.proto": HEAD.replace("test.v1", "annotated") + ANNOTATED,
  });
  plain = { ...one, fileToGenerate: ["plain.proto"] };
  annotated = { ...one, fileToGenerate: ["annotated.proto"] };
});

afterAll(() => rmSync(folder, { recursive: true }));

function written(...configs: readonly string[]): { parameter: string; paths: string[] } {
  const paths = configs.map((text) => {
    const path = join(folder, `config-${count++}.yaml`);
    writeFileSync(path, text);
    return path;
  });
  return { parameter: paths.map((path) => `service_config=${path}`).join(","), paths };
}

/** Returns the code that is generated with some configs. */
function generated(request: CodeGeneratorRequest, ...configs: readonly string[]): string {
  const { error, files } = runGenerator(request, { parameter: written(...configs).parameter });
  expect(error).toBe("");
  return Object.values(files).join("\n");
}

/** Returns the problems of one config, without its path. */
function problemsOf(config: string, request = plain): string[] {
  const { parameter, paths } = written(config);
  const { error, files } = runGenerator(request, { parameter });
  expect(files).toEqual({});
  return error.split("\n").map((line) => line.replace(`${paths[0]}:`, ""));
}

test("a service config: maps methods of .proto files without annotations", () => {
  expect(runGenerator(plain).files).toEqual({});
  const text = generated(
    plain,
    `type: google.api.Service
config_version: 3
http:
  rules:
    - selector: plain.Shelves.GetShelf
      get: /v1/shelves/{id}
      additional_bindings:
        - post: /v1/search
          body: "*"
`,
  );
  expect(text).toContain(`GET /v1/shelves/{id}`);
  expect(text).toContain(`new RequestWriter("POST", "/v1/search")`);
  expect(text).not.toContain("listShelves");
});

test("a service config: may be JSON with lowerCamel names", () => {
  const rule = {
    selector: "plain.Shelves.GetShelf",
    get: "/{id}",
    additionalBindings: [{ custom: { kind: "HEAD", path: "/head" } }],
  };
  const enumValues = [{ selector: "plain.Kind.OAK", rules: { wire: "oak", aliases: ["OAK!"] } }];
  const text = generated(
    plain,
    JSON.stringify({ configVersion: 3, http: { rules: [rule] }, connectrest: { enumValues } }),
  );
  expect(text).toContain(`new RequestWriter("HEAD", "/head")`);
  expect(text).toContain(`"oak"`);
  expect(text).toContain(`"OAK!"`);
});

test("a service config: sets rules of services, methods, messages, fields, oneofs and enum values", () => {
  const text = generated(
    plain,
    `http: {rules: [{selector: plain.Shelves.GetShelf, get: "/{id}"}]}
connectrest:
  services:
    - selector: plain.Shelves
      rules: {upstream: wood, envelope: {payload: [response]}, rawErrorBody: true}
  methods:
    - selector: plain.Shelves.*
      rules: {timeout: 2.5s, success: [304], errors: {status: 404, subcode: 9007199254740993, code: NOT_FOUND}}
  fields:
    - {selector: plain.ShelfRequest.tags, rules: {name: "tag", style: BRACKETS}}
    - {selector: plain.Shelf.since, rules: {time: {unit: SECONDS, none: "0"}}}
  messages:
    - {selector: plain.Size, rules: {tuple: true}}
  oneofs:
    - {selector: plain.Shelf.content, rules: {discriminator: type}}
  enum_values:
    - {selector: plain.Kind.OAK, rules: {wire: oak}}
`,
  );
  for (const line of [
    'upstream: "wood"',
    'payload: ["response"]',
    "rawErrorBody: true",
    "timeoutMs: 2500",
    "success: [304]",
    'request.queryList("tag", message.tags, "brackets")',
    'time: "seconds", none: "0"',
    'by: ["type"]',
    "tuple: [",
    '"oak"',
  ]) {
    expect(text).toContain(line);
  }
});

test("a service config: replaces an HTTP rule as a whole", () => {
  const text = generated(
    annotated,
    "http: {rules: [{selector: annotated.Shelves.GetShelf, delete: '/new/{id}'}]}",
  );
  expect(text).toContain(`new RequestWriter("DELETE", `);
  expect(text).not.toContain("/old");
});

test("a service config: replaces the annotations that it names, and null removes an annotation", () => {
  const text = generated(
    annotated,
    `connectrest:
  services: [{selector: annotated.Shelves, rules: {upstream: other, envelope: null}}]
  methods: [{selector: annotated.Shelves.GetShelf, rules: {timeout: 1s}}]
  fields: [{selector: annotated.ShelfRequest.*, rules: {name: null}}]
`,
  );
  expect(text).toContain('upstream: "other"');
  expect(text).toContain('request.header("x-old", "1")');
  expect(text).not.toContain("envelope");
  expect(text).toContain("timeoutMs: 1000");
  expect(text).toContain('scopes: ["read"]');
  expect(text).not.toContain("shelf id");
});

test("a service config: later rules override earlier rules, within a file and across files", () => {
  const http = (...paths: string[]) =>
    `http: {rules: [${paths.map((path) => `{selector: "plain.*", get: "${path}"}`)}]}`;
  expect(generated(plain, http("/a", "/b"))).toContain(`new RequestWriter("GET", "/b")`);
  const text = generated(plain, http("/b"), http("/c"));
  expect(text).toContain(`new RequestWriter("GET", "/c")`);
  expect(text).not.toContain('"/b"');
});

test("a service config: accepts a list of selectors, and wildcards", () => {
  const text = generated(
    plain,
    "http: {rules: [{selector: 'plain.Shelves.GetShelf, plain.Shelves.ListShelves', get: /x}]}\nconnectrest: {services: [{selector: '*', rules: {base: web}}]}",
  );
  expect(text).toContain("getShelf:");
  expect(text).toContain("listShelves:");
  expect(text).toContain('base: "web"');
});

test("a service config: may be empty, use anchors, and contain sections for other tools", () => {
  expect(runGenerator(plain, written("")).error).toBe("");
  expect(runGenerator(plain, written("# nothing\nhttp:\nconnectrest:\n")).error).toBe("");
  const text = generated(
    plain,
    `title: Shelves
documentation: {summary: "on shelves"}
http:
  rules:
    - &get {selector: plain.Shelves.GetShelf, get: "/{id}"}
    - *get
`,
  );
  expect(text).toContain("getShelf:");
});

test("a service config: is visible to generators that extend the adapters", () => {
  const { parameter } = written("http: {rules: [{selector: plain.Shelves.GetShelf, get: '/{id}'}]}");
  const { file, error } = respond(routesGenerator, { ...plain, parameter });
  expect(error).toBe("");
  expect(file.map(({ insertionPoint }) => insertionPoint)).toContain("adapter:plain.Shelves");
});

test("a service config: does not change the request", () => {
  const request = JSON.stringify(plain.protoFile.map(({ service }) => service));
  const { parameter } = written("http: {rules: [{selector: plain.Shelves.GetShelf, get: '/{id}'}]}");
  respond(routesGenerator, { ...plain, parameter });
  expect(JSON.stringify(plain.protoFile.map(({ service }) => service))).toBe(request);
});

test("problems of a service config: have the position in the config", () => {
  expect(
    problemsOf(`http:
  rules:
    - selector: plain.Shelves.GetShelf
      get: /{ids}
      additional_bindings:
        - post: "/{id}"
        - post: x
connectrest:
  fields:
    - selector: plain.Shelf.owner_name
      rules:
        style: COMMA
  oneofs: [{selector: plain.Shelf.content, rules: {layout: BESIDE}}]
`),
  ).toEqual([
    "4:7: path-field: the path variable `ids`: message plain.ShelfRequest has no field `ids`; did you mean `id`?",
    "7:11: path-syntax: the path `x` is invalid at character 1: a path must start with `/`",
  ]);
  expect(
    problemsOf(`http: {rules: [{selector: plain.Shelves.GetShelf, get: "/{id}"}]}
connectrest:
  fields:
    - selector: plain.Shelf.owner_name
      rules:
        style: COMMA
  oneofs: [{selector: plain.Shelf.content, rules: {layout: BESIDE}}]
`),
  ).toEqual([
    "6:9: style-type: `style` requires a repeated field or a map; plain.Shelf.owner_name is singular",
    "7:51: discriminator: the oneof plain.Shelf.content has a layout but no discriminator",
    "7:51: payload: the oneof plain.Shelf.content has the layout BESIDE and must set `payload`",
  ]);
});

test("problems of a service config: are reported together with problems of the .proto files", () => {
  const config = written(
    "http: {rules: [{selector: annotated.Shelves.GetShelf, gte: /a, get: a}]}\nhtpp: 1\n",
  );
  const source = {
    "bad.proto": `${HEAD.replace("test.v1", "bad")}service S { rpc Get(R) returns (R) { option (google.api.http) = {get: "b"}; } }
message R {}`,
    "annotated.proto": HEAD.replace("test.v1", "annotated") + ANNOTATED,
  };
  const { error } = runGenerator(compileRequest(source), { parameter: config.parameter });
  expect(error.replaceAll(config.paths[0] ?? "", "config.yaml").split("\n")).toEqual([
    "config.yaml:1:55: config-key: http.rules[0]: unknown key `gte`; did you mean `get`?",
    "config.yaml:1:64: path-syntax: the path `a` is invalid at character 1: a path must start with `/`",
    "config.yaml:2:1: config-key: the service config: unknown key `htpp`; did you mean `http`?",
    "bad.proto:13:66: path-syntax: the path `b` is invalid at character 1: a path must start with `/`",
  ]);
});

const RULE = "selector: plain.Shelves.GetShelf";

test.each<[string, string, string[]]>([
  [
    "YAML with a syntax error",
    "http: {rules: [",
    [
      "1:16: config-syntax: Flow map in block collection must be sufficiently indented and end with a }",
      "1:16: config-syntax: Flow sequence in block collection must be sufficiently indented and end with a ]",
    ],
  ],
  ["a repeated key", "http: {}\nhttp: {}\n", ["2:1: config-syntax: Map keys must be unique"]],
  ["a list", "- 1\n", ["1:1: config-type: the service config: expected a map, got a list"]],
  ["a string", "hello\n", ["1:1: config-type: the service config: expected a map, got the string `hello`"]],
  [
    "an unknown key",
    "conectrest: {}\n",
    ["1:1: config-key: the service config: unknown key `conectrest`; did you mean `connectrest`?"],
  ],
  [
    "an unknown list",
    "connectrest: {method: []}\n",
    ["1:15: config-key: connectrest: unknown key `method`; did you mean `methods`?"],
  ],
  [
    "an unknown rule",
    `connectrest: {methods: [{${RULE}, rules: {upstram: a}}]}\n`,
    ["1:68: config-key: connectrest.methods[0].rules: unknown key `upstram`; did you mean `upstream`?"],
  ],
  [
    "a map instead of a list",
    "http: {rules: {}}\n",
    ["1:15: config-type: http.rules: expected a list, got a map"],
  ],
  [
    "a missing selector",
    "http: {rules: [{get: /a}]}\n",
    ["1:16: config-missing: http.rules[0] has no `selector`, so it applies to nothing"],
  ],
  [
    "missing rules",
    `connectrest: {methods: [{${RULE}}]}\n`,
    ["1:25: config-missing: connectrest.methods[0] has no `rules`"],
  ],
  [
    "a selector of a missing method",
    "http: {rules: [{selector: plain.Shelves.GetShelv, get: /a}]}\n",
    [
      "1:27: config-selector: `plain.Shelves.GetShelv` matches no method in the files of this run; did you mean `plain.Shelves.GetShelf`?",
    ],
  ],
  [
    "a selector of a service instead of a method",
    "connectrest: {methods: [{selector: plain.Shelves, rules: {}}]}\n",
    ["1:36: config-selector: `plain.Shelves` matches no method in the files of this run"],
  ],
  [
    "a wildcard for a missing service",
    "http: {rules: [{selector: plain.Shelfs.*, get: /a}]}\n",
    [
      "1:27: config-selector: `plain.Shelfs.*` matches no method in the files of this run; did you mean `plain.Shelves.*`?",
    ],
  ],
  [
    "an incomplete wildcard",
    "http: {rules: [{selector: plain.Shelves.Get*, get: /a}]}\n",
    [
      "1:27: config-selector: http.rules[0].selector: `plain.Shelves.Get*` is not a selector; use a full name, e.g. `pkg.Service.Method`, `pkg.Service.*` or `*`",
    ],
  ],
  [
    "two verbs in one rule",
    `http: {rules: [{${RULE}, get: /a, post: /b}]}\n`,
    ["1:60: config-twice: http.rules[0]: `post` and `get` are mutually exclusive; keep one"],
  ],
  [
    "a field in two spellings",
    `http: {rules: [{${RULE}, get: /a, response_body: id, responseBody: id}]}\n`,
    [
      "1:79: config-twice: http.rules[0]: `responseBody` and `response_body` are mutually exclusive; keep one",
    ],
  ],
  [
    "a number instead of a string",
    `connectrest: {methods: [{${RULE}, rules: {upstream: 3}}]}\n`,
    [
      "1:78: config-type: connectrest.methods[0].rules.upstream: expected a string, got the number 3; put it in quotes",
    ],
  ],
  [
    "a string instead of a boolean",
    `connectrest: {methods: [{${RULE}, rules: {raw_error_body: yes}}]}\n`,
    [
      "1:84: config-type: connectrest.methods[0].rules.raw_error_body: expected true or false, got the string `yes`",
    ],
  ],
  [
    "numbers that are not 32-bit integers",
    `connectrest: {methods: [{${RULE}, rules: {success: [1.5, 3000000000, "304"]}}]}\n`,
    [
      "1:78: config-type: connectrest.methods[0].rules.success[0]: expected an integer, got the number 1.5",
      "1:83: config-type: connectrest.methods[0].rules.success[1]: expected an integer of 32 bits, got the number 3000000000",
      "1:95: config-type: connectrest.methods[0].rules.success[2]: expected an integer, got the string `304`",
    ],
  ],
  [
    "a string instead of a message",
    `connectrest: {methods: [{${RULE}, rules: {envelope: response}}]}\n`,
    ["1:78: config-type: connectrest.methods[0].rules.envelope: expected a map, got the string `response`"],
  ],
  [
    "an unknown enum value",
    `connectrest: {methods: [{${RULE}, rules: {credentials: [OAUTH3]}}]}\n`,
    [
      "1:82: config-value: connectrest.methods[0].rules.credentials[0]: expected a value of connectrest.v1.Credential.Kind, got the string `OAUTH3`; did you mean `OAUTH1`?",
    ],
  ],
  [
    "a duration without a unit",
    `connectrest: {methods: [{${RULE}, rules: {timeout: 3}}]}\n`,
    [
      "1:77: config-value: connectrest.methods[0].rules.timeout: expected a duration in seconds, e.g. `1.5s`, got the number 3",
    ],
  ],
  [
    "an alias that contains itself",
    `connectrest: {methods: [{${RULE}, rules: &r {envelope: *r}}]}\n`,
    [
      "1:71: config-key: connectrest.methods[0].rules.envelope: unknown key `envelope`; it has `payload`, `status`, `message`, `errors`, `empty`, `known`",
    ],
  ],
])("an invalid service config: %s", (_, config, problems) => {
  expect(problemsOf(config)).toEqual(problems);
});

test("an invalid service config: a missing file is reported", () => {
  const { error } = runGenerator(plain, { parameter: "service_config=none.yaml" });
  expect(error).toBe(
    "none.yaml:1:1: config-file: the service config cannot be read: ENOENT: no such file or directory, open 'none.yaml'",
  );
  expect(runGenerator(plain, { parameter: "service_config=" }).error).toBe(
    "option service_config: expected the path of a YAML or JSON file",
  );
});

test("property: an invalid service config: any file content gives a result or an error", () => {
  const leaf = fc.oneof(fc.string(), fc.integer(), fc.boolean(), fc.constant(null), fc.double());
  const key = fc.constantFrom(
    "selector",
    "rules",
    "get",
    "body",
    "timeout",
    "errors",
    "envelope",
    "x",
    "custom",
  );
  const { node } = fc.letrec((tie) => ({
    node: fc.oneof(
      { maxDepth: 4 },
      leaf,
      fc.array(tie("node"), { maxLength: 3 }),
      fc.dictionary(key, tie("node"), { maxKeys: 4 }),
    ),
  }));
  const lists = fc.constantFrom("services", "methods", "messages", "fields", "oneofs", "enum_values");
  const config = fc.record(
    { http: fc.oneof(node, fc.record({ rules: node })), connectrest: fc.dictionary(lists, node) },
    { requiredKeys: [] },
  );
  const text = fc.oneof(
    config.map((value) => JSON.stringify(value)),
    fc.string(),
  );
  fc.assert(
    fc.property(text, (content) => {
      const problems = new Problems();
      parseServiceConfig("c.yaml", content, problems);
      for (const line of problems.lines()) {
        expect(line).toMatch(/^c\.yaml:[1-9]\d*:[1-9]\d*: config-[a-z]+: /);
      }
    }),
  );
});
