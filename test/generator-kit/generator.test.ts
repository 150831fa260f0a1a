import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { fromBinary, toBinary } from "@bufbuild/protobuf";
import {
  type CodeGeneratorRequest,
  CodeGeneratorRequestSchema,
  type CodeGeneratorResponse,
  CodeGeneratorResponseSchema,
} from "@bufbuild/protobuf/wkt";
import { runPlugin } from "protoc-gen-connect-rest";
import {
  adapterPoint,
  applyInsertions,
  commentOf,
  END,
  type Generator,
  type KitRequest,
  methodPoint,
  requestName,
  respond,
  responseNames,
  servicePoint,
  templateText,
} from "protoc-gen-connect-rest/kit";
import { expect, test } from "vitest";
import { routesGenerator } from "../../examples/generator/src/generator.ts";
import { compileRequest, HEAD } from "./compile.ts";

const ROOT = join(import.meta.dirname, "../..");
const EXAMPLE = join(import.meta.dirname, "fixtures/protoc-gen-acme-cache.ts");

const THINGS = `${HEAD}
// Things.
service ThingService {
  option (connectrest.v1.service) = { upstream: "things" base: "api" };
  // Gets a thing.
  rpc GetThing(GetThingRequest) returns (Thing) { option (google.api.http) = { get: "/things/{id}" }; }
  rpc DeleteThing(GetThingRequest) returns (Thing) { option (google.api.http) = { delete: "/things/{id}" }; }
  rpc Internal(Thing) returns (Thing);
}
service NotMapped { rpc Internal(Thing) returns (Thing); }
message GetThingRequest { string id = 1; }
message Thing { string id = 1; }
`;
const SOURCES = {
  "test/v1/plain.proto": 'syntax = "proto3"; package test.v1; message Plain {}',
  "test/v1/things.proto": THINGS,
};
const things = compileRequest(SOURCES, "target=ts,import_extension=ts");
const REST = "test/v1/things_rest.ts";

function generator(generate: (request: KitRequest) => void, extra: Partial<Generator> = {}): Generator {
  return { name: "protoc-gen-acme-notes", version: "1.2.3", generate, ...extra };
}

function service(request: KitRequest, name = "ThingService") {
  const found = request.files.flatMap((file) => file.services).find((each) => each.name === name);
  if (found === undefined) throw new Error(`no service ${name}`);
  return found;
}

function adapter(request: KitRequest) {
  const file = request.adapterFile(service(request).file);
  if (file === undefined) throw new Error("no adapter");
  return file;
}

/** Runs a generator that only inserts into the adapter of ThingService, and returns the response. */
function answer(
  write: (file: ReturnType<typeof adapter>, request: KitRequest) => void,
): CodeGeneratorResponse {
  return respond(
    generator((request) => write(adapter(request), request)),
    things,
  );
}

test("a generator reads custom options of fields and enum values", () => {
  const source = `${HEAD}
enum Size { SIZE_UNSPECIFIED = 0; SIZE_LARGE = 1 [(connectrest.v1.enum_value).wire = "L"]; }
message Shirt {
  string shirt_id = 1 [(connectrest.v1.field) = { name: "id" aliases: "key" }];
  Size the_size = 2;
}
`;
  const names: unknown[] = [];
  const { error } = respond(
    generator(({ files, types }) => {
      const [file] = files;
      const style = { names: "asDeclared", integers: "strings", required: "sent" } as const;
      for (const field of file?.messages[0]?.fields ?? []) {
        names.push([requestName(field, style, types), responseNames(field, types)]);
      }
      names.push(file?.enums[0]?.values.map((value) => types.enumValue(value).wire));
    }),
    compileRequest({ "test/v1/shirts.proto": source }, "target=ts"),
  );
  expect(error).toBe("");
  expect(names).toEqual([
    ["id", ["id", "key"]],
    ["the_size", ["the_size", "theSize"]],
    [undefined, "L"],
  ]);
});

function host(request: CodeGeneratorRequest): CodeGeneratorResponse {
  const { response } = runPlugin(toBinary(CodeGeneratorRequestSchema, request));
  return fromBinary(CodeGeneratorResponseSchema, response);
}

/** Returns the adapter after a second generator has run. */
function applied(response: CodeGeneratorResponse): string {
  const files = applyInsertions([
    { generator: "host", response: host(things) },
    { generator: "guest", response },
  ]);
  const found = files.find(({ path }) => path === REST);
  return new TextDecoder().decode(found?.content);
}

function entries(response: CodeGeneratorResponse): string[][] {
  return response.file.map(({ name, insertionPoint, content }) => [name, insertionPoint, content]);
}

test("insertions: every adapter has its insertion points", () => {
  const response = answer((file, request) => {
    const [method] = service(request).methods;
    if (method !== undefined) file.insert(methodPoint(method), "// after GetThing");
    file.insert(adapterPoint(service(request)), "extra: 1,");
    file.insert(servicePoint(service(request)), "// after ThingService", "// and on");
    file.insert(END, "// the end");
    file.insert(servicePoint(service(request)), "// still after ThingService");
  });
  expect(entries(response)).toEqual([
    [REST, "method:test.v1.ThingService.GetThing", "// after GetThing\n"],
    [REST, "adapter:test.v1.ThingService", "extra: 1,\n"],
    [REST, "service:test.v1.ThingService", "// after ThingService\n// and on\n// still after ThingService\n"],
    [REST, "end", "// the end\n"],
  ]);
  const text = applied(response);
  const order = [
    "ThingService_getThing: ",
    "// after GetThing",
    "ThingServiceRest:",
    "\n  extra: 1,\n  // @@",
    "\n};\n// after Thing",
    "// the end",
  ];
  const found = order.map((piece) => text.indexOf(piece));
  expect(found).toEqual([...found].sort((a, b) => a - b));
  expect(found).not.toContain(-1);
});

test("insertions: files and methods without a REST mapping have no insertion points", () => {
  const seen: unknown[] = [];
  const response = respond(
    generator((request) => {
      const [plain] = request.files;
      if (plain !== undefined) seen.push(plain.name, request.adapterFile(plain));
      const file = adapter(request);
      const internal = service(request).methods.at(-1);
      seen.push(file.has(servicePoint(service(request, "NotMapped"))));
      seen.push(internal !== undefined && file.has(methodPoint(internal)));
    }),
    things,
  );
  expect(seen).toEqual(["test/v1/plain", undefined, false, false]);
  expect(response.file).toEqual([]);
});

test("insertions: an API with invalid annotations has no adapter, and only protoc-gen-connect-rest reports the errors", () => {
  const wrong = compileRequest({ "test/v1/things.proto": THINGS.replace("{id}", "{no}") });
  expect(host(wrong).error).toContain("path-field");
  const seen: unknown[] = [];
  const response = respond(
    generator((request) => seen.push(request.adapterFile(service(request).file))),
    wrong,
  );
  expect(seen).toEqual([undefined]);
  expect(response.error).toBe("");
});

test("insertions: a method that unsupported=skip omits has no insertion point", () => {
  const text = THINGS.replace("rpc DeleteThing(GetThingRequest)", "rpc DeleteThing(stream GetThingRequest)");
  const points: boolean[] = [];
  respond(
    generator((request) => {
      const file = adapter(request);
      points.push(...service(request).methods.map((method) => file.has(methodPoint(method))));
    }),
    compileRequest({ "test/v1/things.proto": text }, "unsupported=skip"),
  );
  expect(points).toEqual([true, false, false]);
});

test.each<[string, string, string]>([
  ["an unknown point", "", "test/v1/things_rest.ts has no insertion point `elsewhere`"],
  [
    "a carriage return",
    "a\r",
    "test/v1/things_rest.ts: the line `a\r` has a carriage return, which buf removes",
  ],
  [
    "a long line",
    "x".repeat(65_536),
    `test/v1/things_rest.ts: the line \`${"x".repeat(80)}\` has 65536 bytes; buf loses lines of more than 65535`,
  ],
  [
    "a marker",
    "// @@protoc_insertion_point(end)",
    "test/v1/things_rest.ts: the line `// @@protoc_insertion_point(end)` has the marker of an insertion point, which protoc and buf treat differently",
  ],
])("insertions: %s is rejected", (_name, line, text) => {
  expect(() => answer((file) => file.insert(line === "" ? "elsewhere" : END, line))).toThrow(new Error(text));
});

test("imports: added imports are sorted, without duplicates, under names that do not collide", () => {
  const names: string[] = [];
  const response = answer((file, request) => {
    const [method] = service(request).methods;
    names.push(file.importType("Z", "zoo"), file.importType("A", "zoo"), file.importValue("A", "zoo"));
    names.push(file.importValue("unary", "./local.ts"), file.importValue("default", "acme"));
    names.push(file.importDescriptor(service(request)), file.importDescriptorType(service(request)));
    if (method !== undefined) names.push(file.importMessage(method.output));
    names.push(file.importType("Z", "other"));
  });
  expect(names).toEqual([
    "Z$acmeNotes",
    "A$acmeNotes",
    "A$acmeNotes",
    "unary$acmeNotes",
    "default$acmeNotes",
    "ThingService$acmeNotes",
    "ThingService$acmeNotes",
    "Thing$acmeNotes",
    "Z$acmeNotes$",
  ]);
  expect(entries(response)).toEqual([
    [
      REST,
      "imports",
      'import { default as default$acmeNotes } from "acme";\n' +
        'import type { Z as Z$acmeNotes$ } from "other";\n' +
        'import { A as A$acmeNotes, type Z as Z$acmeNotes } from "zoo";\n' +
        'import { unary as unary$acmeNotes } from "./local.ts";\n' +
        'import { type Thing as Thing$acmeNotes, ThingService as ThingService$acmeNotes } from "./things_pb.ts";\n',
    ],
  ]);
});

test("imports: added imports follow import_extension", () => {
  const js = { ...things, parameter: "import_extension=js" };
  const response = respond(
    generator((request) => adapter(request).importDescriptor(service(request))),
    js,
  );
  expect(response.file[0]?.content).toContain('from "./things_pb.js"');
});

test("imports: added imports have the suffix that the generator configures", () => {
  const write = (request: KitRequest) => adapter(request).importValue("a", "b");
  const response = respond(generator(write, { importSuffix: "x1" }), things);
  expect(response.file[0]?.content).toBe('import { a as a$x1 } from "b";\n');
  expect(() => respond(generator(write, { importSuffix: "1" }), things)).toThrow(
    new Error("protoc-gen-acme-notes: the import suffix `1` must be letters, digits and _, a letter first"),
  );
});

test("a declaration gets a name that is unused in the file", () => {
  const names: string[] = [];
  answer((file) => {
    names.push(
      file.claim("mine"),
      file.claim("mine"),
      file.claim("ThingService"),
      file.claim("ThingServiceRest"),
    );
  });
  expect(names).toEqual(["mine", "mine$", "ThingService$", "ThingServiceRest$"]);
});

test("new files: the files are written with their imports, in the order of their paths", () => {
  const response = respond(
    generator((request) => {
      request.newFile("b.ts").add("// b");
      const file = request.newFile("a/notes.ts");
      const name = file.importMessage(service(request).methods[0]?.output ?? never());
      file.add("", `export type Note = ${name};`);
    }),
    things,
  );
  expect(entries(response)).toEqual([
    [
      "a/notes.ts",
      "",
      '// @generated by protoc-gen-acme-notes v1.2.3\n/* eslint-disable */\n\nimport type { Thing } from "../test/v1/things_pb.ts";\n\nexport type Note = Thing;\n',
    ],
    ["b.ts", "", "// @generated by protoc-gen-acme-notes v1.2.3\n/* eslint-disable */\n\n// b\n"],
  ]);
});

test.each([
  ["../a.ts", "the path `../a.ts` cannot be written: it has the component `..`"],
  [REST, "the file `test/v1/things_rest.ts` is already generated"],
  ["twice.ts", "the file `twice.ts` is already generated"],
])("new files: the path cannot be %s", (path, text) => {
  const write = (request: KitRequest) => {
    request.newFile("twice.ts");
    request.newFile(path);
  };
  expect(() => respond(generator(write), things)).toThrow(new Error(text));
});

function never(): never {
  throw new Error("not here");
}

test("errors are reported together with their positions, and no file is generated", () => {
  const response = respond(
    generator((request) => {
      adapter(request).insert(END, "// x");
      const [first, second] = service(request).methods;
      if (second !== undefined) request.error(second, "note", "second", [72295728]);
      if (first !== undefined) request.error(first, "note", "first");
    }),
    things,
  );
  expect(response.file).toEqual([]);
  expect(response.error).toBe(
    "test/v1/things.proto:18:3: note: first\ntest/v1/things.proto:19:61: note: second",
  );
});

const options = {
  style: { help: "how", default: "short", values: ["short", "long"] },
  title: { help: "what", default: "" },
};
const values = (parameter: string): [unknown, string] => {
  let seen: unknown;
  const { error } = respond(
    {
      ...generator(() => {}),
      options,
      generate: (request: KitRequest<typeof options>) => {
        seen = request.options;
      },
    },
    { ...things, parameter },
  );
  return [seen, error];
};

test("options: have the given values or the defaults", () => {
  expect(values("")).toEqual([{ style: "short", title: "" }, ""]);
  expect(values("title=a=b,style=long,target=ts")).toEqual([{ style: "long", title: "a=b" }, ""]);
});

test.each([
  ["stile=long", "unknown option `stile`; did you mean `style`?"],
  [
    "toString=1",
    "unknown option `toString`; it has `style`, `title`, `target`, `import_extension`, `map_imports`, `rewrite_imports`, `keep_empty_files`, `ts_nocheck`, …",
  ],
  ["style=wide", "option style=wide: expected short or long"],
  [
    "target=js",
    "option target=js: what is added to adapters is TypeScript, and so must they be; expected ts",
  ],
])("options: %s is rejected", (parameter, text) => {
  expect(values(parameter)).toEqual([undefined, text]);
});

test("the order of files in a request does not affect the response", () => {
  const write = (request: KitRequest) => {
    for (const file of request.files) request.newFile(`${file.name}.txt`).add(file.name);
    adapter(request).insert(END, "// x");
  };
  const turned = { ...things, fileToGenerate: [...things.fileToGenerate].reverse() };
  expect(respond(generator(write), turned)).toEqual(respond(generator(write), things));
});

function run(program: string, args: readonly string[], input: Uint8Array = new Uint8Array()) {
  const { status, stdout, stderr } = spawnSync("node", [program, ...args], { input });
  return { status, stdout, stderr: stderr.toString("utf8") };
}

test("as a program: prints --help and --version", () => {
  const help = run(EXAMPLE, ["--help"]);
  expect(help.status).toBe(0);
  expect(help.stdout.toString("utf8")).toContain(
    "  seconds=…  how long a response may be kept (default: 60)\n",
  );
  expect(run(EXAMPLE, ["--version"]).stdout.toString("utf8")).toBe("protoc-gen-acme-cache 1.0.0\n");
});

test("as a program: an error in the .proto files is in the response, with exit code 0", () => {
  const { status, stdout, stderr } = run(
    EXAMPLE,
    [],
    toBinary(CodeGeneratorRequestSchema, { ...things, parameter: "second=1" }),
  );
  expect([status, stderr]).toEqual([0, ""]);
  expect(fromBinary(CodeGeneratorResponseSchema, stdout).error).toBe(
    "unknown option `second`; did you mean `seconds`?",
  );
});

test.each<[string, Uint8Array, string]>([
  [
    "nothing",
    new Uint8Array(),
    "protoc-gen-acme-cache: no CodeGeneratorRequest on standard input; this program is run by buf or protoc\n",
  ],
  [
    "noise",
    new Uint8Array([0xff]),
    "protoc-gen-acme-cache: standard input is no CodeGeneratorRequest: premature EOF\n",
  ],
])(
  "as a program: %s on standard input causes exit code 1, because it is an error of the compiler",
  (_name, input, text) => {
    const { status, stdout, stderr } = run(EXAMPLE, [], input);
    expect([status, stdout.length, stderr]).toEqual([1, 0, text]);
  },
);

test("an example program reports rules that it does not support", () => {
  const [start, ...rest] = THINGS.split("rpc Internal");
  const stream =
    'rpc WatchThing(GetThingRequest) returns (stream Thing) { option (google.api.http) = { get: "/watch/{id}" }; option (connectrest.v1.method).paginate = { items: "." link_header: "next" }; }\n  rpc Internal';
  const request = compileRequest({
    "test/v1/things.proto": [start, rest.join("rpc Internal")].join(stream),
  });
  const { stdout } = run(EXAMPLE, [], toBinary(CodeGeneratorRequestSchema, request));
  expect(fromBinary(CodeGeneratorResponseSchema, stdout).error).toBe(
    "test/v1/things.proto:20:3: cache-stream: the response of WatchThing is a stream, which cannot be kept",
  );
});

test("an example program adds a table and its import to an adapter", () => {
  const { stdout } = run(
    EXAMPLE,
    [],
    toBinary(CodeGeneratorRequestSchema, { ...things, parameter: "import_extension=ts,seconds=30" }),
  );
  const text = applied(fromBinary(CodeGeneratorResponseSchema, stdout));
  expect(text).toContain(`import type { CachePolicy as CachePolicy$acmeCache } from "acme-cache";
// @@protoc_insertion_point(imports)
`);
  expect(text).toContain(`
export const ThingServiceCache: Record<string, CachePolicy$acmeCache> = {
  getThing: { seconds: 30 },
  deleteThing: { seconds: 30 },
};
// @@protoc_insertion_point(service:test.v1.ThingService)
`);
});

const page = readFileSync(join(ROOT, "docs/generator-kit.md"), "utf8");
const blocks = [...page.matchAll(/```ts\n(.*?)```/gs)].map(([, text = ""]) => text);

test.each(["generator.ts", "bin.ts"])("the guide shows examples/generator/src/%s unchanged", (name) => {
  expect(blocks).toContain(readFileSync(join(ROOT, "examples/generator/src", name), "utf8"));
});

test("the guide shows the code that its example generates", () => {
  const response = respond(routesGenerator, things);
  const made = response.file.find(({ name }) => name === "routes.ts")?.content;
  const [property = "missing", helper = "missing"] = blocks.slice(2);
  expect(applied(response)).toContain(property);
  expect(made).toContain(helper);
});

test("the guide names every insertion point and the helper that returns its name", () => {
  for (const point of ["imports", "adapter:", "service:", "method:", "end"]) {
    expect(page).toContain(`| \`${point}`);
  }
  for (const helper of ["adapterPoint", "servicePoint", "methodPoint"]) {
    expect(page).toContain(`\`${helper}(`);
  }
});

test("a generator receives read-only parsed models of the services that it extends", () => {
  let seen: unknown;
  respond(
    generator((request) => {
      const [file] = request.adapterFiles;
      const [model] = file?.services ?? [];
      const [method] = model?.methods ?? [];
      const [binding] = method?.bindings ?? [];
      seen = {
        path: file?.path,
        desc: file?.desc.name,
        service: model?.desc.typeName,
        base: model?.rules.base,
        methods: model?.methods.map(({ desc }) => desc.name),
        verb: binding?.verb,
        template: binding && templateText(binding.template),
        variables: [...(binding?.variables.values() ?? [])].map((path) => path.map(({ name }) => name)),
        comment: method && commentOf(method.desc),
        frozen: [file?.services, model, method, binding, method?.rules].map((each) => Object.isFrozen(each)),
        points: [...(file?.points ?? [])],
        named: ["ThingServiceRest", "ThingService_getThing", "ThingTable"].map((name) =>
          file?.names.has(name),
        ),
      };
    }),
    things,
  );
  expect(seen).toEqual({
    path: REST,
    desc: "test/v1/things",
    service: "test.v1.ThingService",
    base: "api",
    methods: ["GetThing", "DeleteThing"],
    verb: "GET",
    template: "/things/{id}",
    variables: [["id"]],
    comment: "Gets a thing.",
    frozen: [true, true, true, true, true],
    points: [
      "imports",
      "end",
      "method:test.v1.ThingService.GetThing",
      "method:test.v1.ThingService.DeleteThing",
      "service:test.v1.ThingService",
      "adapter:test.v1.ThingService",
    ],
    named: [true, true, true],
  });
});

test("a generator receives exactly the insertion points that the adapter file has", () => {
  const points: string[] = [];
  respond(
    generator((request) => points.push(...request.adapterFiles.flatMap((file) => [...file.points]))),
    things,
  );
  const text = host(things).file.find(({ name }) => name === REST)?.content ?? "";
  const written = [...text.matchAll(/@@protoc_insertion_point\((.*)\)/g)].map(([, name]) => name);
  expect([...points].sort()).toEqual([...written].sort());
});
