/** Uses the published packages in a project without other packages. */
import { spawnSync } from "node:child_process";
import { chmodSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect } from "vitest";

const SHELF = `syntax = "proto3";
package shelf.v1;
import "connectrest/v1/annotations.proto";
import "google/api/annotations.proto";
import "google/protobuf/timestamp.proto";
service ShelfService {
  option (connectrest.v1.service).upstream = "shelf";
  rpc GetBook(GetBookRequest) returns (Book) { option (google.api.http) = {get: "/books/{id}"}; }
}
message GetBookRequest { int64 id = 1; }
message Book {
  int64 id = 1;
  google.protobuf.Timestamp added = 2 [(connectrest.v1.field).time.unit = SECONDS];
}
`;
const MAIN = `import { createClient } from "@connectrpc/connect";
import { createRestTransport } from "connect-rest-runtime";
import { ShelfService } from "./gen/shelf/v1/shelf_pbEND";
import { ShelfServiceRest } from "./gen/shelf/v1/shelf_restEND";
const upstreams = { shelf: { baseUrl: "http://127.0.0.1:9" } };
const transport = createRestTransport({ adapters: [ShelfServiceRest], upstreams });
const client = createClient(ShelfService, transport);
export const idOf = async (id: bigint): Promise<bigint> => (await client.getBook({ id })).id;
await transport.close();
`;
/** Maps imports of the annotations' messages to the runtime. */
const MAPS = ["connectrest/", "google/api/"]
  .map((path) => `map_imports=${path}:connect-rest-runtime/gen`)
  .join();
/** The generator's executable, to which npm would link. */
const GENERATOR = "node_modules/protoc-gen-connect-rest/src/bin.js";

/** A newcomer's project, which describes an API. */
export class Newcomer {
  private readonly home: string;
  /** The adapter generators, starting with the package's generator. */
  private readonly generators: readonly string[];

  /**
   * @param home a folder whose `node_modules` contains the packages
   * @param further generators that run after the package's generator, as paths from `home`
   */
  constructor(home: string, further: readonly string[] = []) {
    this.home = home;
    this.generators = [GENERATOR, ...further];
    mkdirSync(join(home, "proto/shelf/v1"), { recursive: true });
    this.write("proto/shelf/v1/shelf.proto", SHELF);
    // npm would make the files executable.
    for (const path of this.generators) chmodSync(join(home, path), 0o755);
    this.write("package.json", '{"type":"module"}');
    const modules = "[{path: proto}, {path: node_modules/protoc-gen-connect-rest/protos}]";
    this.write("buf.yaml", `version: v2\nmodules: ${modules}\n`);
  }

  /** Generates messages and adapters into a new folder. Returns the text of the adapter. */
  generateWithBuf(out: string, target: string, extension: string): string {
    rmSync(join(this.home, out), { recursive: true, force: true });
    const options = `target=${target},import_extension=${extension},${MAPS}`;
    const erasable = target === "ts" ? ",erasable_syntax=true" : "";
    const template = [
      "version: v2",
      "inputs: [{directory: proto}]",
      "plugins:",
      `  - {local: protoc-gen-es, out: ${out}, opt: "${options}${erasable}"}`,
      ...this.generators.map(
        (path) => `  - {local: [node, ${path}], out: ${out}, strategy: all, opt: "${options}"}`,
      ),
    ];
    this.write("buf.gen.yaml", template.join("\n"));
    this.run("buf", "generate");
    return this.adapter(out, target);
  }

  /** Generates the adapter in TypeScript. */
  generateWithProtoc(out: string): string {
    mkdirSync(join(this.home, out));
    // Debian has google/protobuf in a separate package.
    const includes = [
      "proto",
      "node_modules/protoc-gen-connect-rest/protos",
      "node_modules/google-proto-files",
    ];
    this.run(
      "protoc",
      ...includes.map((path) => `-I${path}`),
      ...this.generators.flatMap((path, index) => [
        `--plugin=protoc-gen-g${index}=${join(this.home, path)}`,
        `--g${index}_out=${out}`,
        `--g${index}_opt=target=ts,import_extension=ts,${MAPS}`,
      ]),
      "shelf/v1/shelf.proto",
    );
    return this.adapter(out, "ts");
  }

  /** Type-checks a program that uses the code in `gen`. Returns the output of the compiler. */
  typeCheck(extension: string, resolution: string): string {
    this.write("main.ts", MAIN.replaceAll("END", extension === "none" ? "" : `.${extension}`));
    const compilerOptions = {
      strict: true,
      exactOptionalPropertyTypes: true,
      noUncheckedIndexedAccess: true,
      verbatimModuleSyntax: true,
      module: resolution === "bundler" ? "esnext" : "nodenext",
      moduleResolution: resolution,
      target: "es2024",
      types: ["node"],
      allowImportingTsExtensions: true,
      noEmit: true,
      skipLibCheck: true,
    };
    this.write("tsconfig.json", JSON.stringify({ compilerOptions, files: ["main.ts"] }));
    return this.run("tsc", "--project", this.home);
  }

  /** Runs a program that must succeed. Returns its output. */
  run(command: string, ...options: readonly string[]): string {
    const { stdout, stderr, status } = spawnSync(command, options, { cwd: this.home, encoding: "utf8" });
    expect(status, stdout + stderr).toBe(0);
    return stdout;
  }

  private write(path: string, text: string): void {
    writeFileSync(join(this.home, path), text);
  }

  private adapter(out: string, target: string): string {
    const ending = { ts: "ts", dts: "d.ts" }[target] ?? "js";
    return readFileSync(join(this.home, out, `shelf/v1/shelf_rest.${ending}`), "utf8");
  }
}
