import { spawnSync } from "node:child_process";
import { cpSync, mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";

const ROOT = join(import.meta.dirname, "../..");

/** The number of methods per service. */
const METHODS = 10;

const IMPORTS = [
  "buf/validate/validate.proto",
  "connectrest/v1/annotations.proto",
  "google/api/annotations.proto",
  "google/protobuf/timestamp.proto",
];

/** Imported .proto files that no package of the buf CLI contains, with their folders in this repository. */
const VENDORED = [
  ["proto", "connectrest"],
  ["plugin/protos", "buf"],
  ["node_modules/google-proto-files", "google/api/annotations.proto"],
  ["node_modules/google-proto-files", "google/api/http.proto"],
  ["node_modules/google-proto-files", "google/rpc/code.proto"],
] as const;

/**
 * Writes services into a folder: each in a separate package with messages and adapters in JavaScript, a
 * configuration that serves them, and `bare.js`, a connect-node server with the same services.
 *
 * @throws Error if the code cannot be generated
 */
export function writeServices(folder: string, count: number): void {
  const names = Array.from({ length: count }, (_, index) => `s${index + 1}`);
  for (const name of names) {
    write(folder, `proto/start/${name}/v1/things.proto`, protoOf(name));
  }
  for (const [root, path] of VENDORED) {
    cpSync(join(ROOT, root, path), join(folder, "vendor", path), { recursive: true });
  }
  write(folder, "package.json", '{"type":"module"}');
  write(folder, "buf.yaml", "version: v2\nmodules: [{path: proto}, {path: vendor}]\n");
  write(folder, "buf.gen.yaml", TEMPLATE);
  generate(folder);
  const adapters = names.map((name) => `  - ./gen/start/${name}/v1/things_rest.js\n`);
  const upstreams = "upstreams:\n  things: { baseUrl: http://127.0.0.1:9 }\n";
  write(folder, "connect-rest.yaml", `adapters:\n${adapters.join("")}${upstreams}`);
  write(folder, "bare.js", bareServer(names));
}

const TEMPLATE = `version: v2
inputs: [{directory: proto}]
plugins:
  - local: protoc-gen-es
    out: gen
    strategy: all
    opt: "target=js,import_extension=js,map_imports=buf/validate/:@bufbuild/protovalidate/gen,map_imports=connectrest/:connect-rest-runtime/gen,map_imports=google/api/:connect-rest-runtime/gen"
  - {local: protoc-gen-connect-rest, out: gen, strategy: all, opt: "target=js,import_extension=js"}
`;

function protoOf(name: string): string {
  const numbers = Array.from({ length: METHODS }, (_, index) => index + 1);
  return `syntax = "proto3";
package start.${name}.v1;
${IMPORTS.map((path) => `import "${path}";\n`).join("")}
// Things of ${name}.
service ThingService {
  option (connectrest.v1.service).upstream = "things";
${numbers.map((n) => methodOf(name, n)).join("")}}
${numbers.map(messagesOf).join("")}`;
}

function methodOf(name: string, n: number): string {
  return `  // Gets a thing of kind ${n}.
  rpc GetThing${n}(GetThing${n}Request) returns (Thing${n}) {
    option (google.api.http) = {get: "/${name}/things${n}/{id}"};
  }
`;
}

function messagesOf(n: number): string {
  return `
message GetThing${n}Request {
  string id = 1 [(buf.validate.field).string = {min_len: 1, max_len: 64}];
  int32 limit = 2 [(buf.validate.field).int32 = {gte: 0, lte: 100}];
  optional string cursor = 3;
}
// A thing of kind ${n}.
message Thing${n} {
  string id = 1;
  string title = 2;
  int64 number = 3;
  Size${n} size = 4;
  google.protobuf.Timestamp added = 5 [(connectrest.v1.field).time.unit = SECONDS];
  repeated Part${n} parts = 6;
  map<string, string> labels = 7;
  bool is_open = 8;
}
message Part${n} {
  string name = 1;
  double weight = 2;
  repeated string tags = 3;
}
enum Size${n} {
  SIZE${n}_UNSPECIFIED = 0;
  SIZE${n}_SMALL = 1;
  SIZE${n}_LARGE = 2;
}
`;
}

function bareServer(names: readonly string[]): string {
  const imports = names.map(
    (name) => `import { ThingService as ${name} } from "./gen/start/${name}/v1/things_pb.js";\n`,
  );
  return `import http from "node:http";
import { connectNodeAdapter } from "@connectrpc/connect-node";
${imports.join("")}
const services = [${names.join(", ")}];
const routes = (router) => services.forEach((service) => router.service(service, {}));
const server = http.createServer(connectNodeAdapter({ routes }));
server.listen(0, "127.0.0.1", () => process.stdout.write(\`server ready on \${server.address().port}\\n\`));
`;
}

function generate(folder: string): void {
  const PATH = `${join(ROOT, "node_modules/.bin")}:${process.env.PATH}`;
  const { status, stderr, error } = spawnSync("buf", ["generate"], {
    cwd: folder,
    encoding: "utf8",
    env: { ...process.env, PATH },
  });
  if (status !== 0) throw new Error(`buf generate in ${folder}: ${error?.message ?? stderr}`);
}

function write(folder: string, path: string, text: string): void {
  const file = join(folder, path);
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, text);
}
