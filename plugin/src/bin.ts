#!/usr/bin/env node
import { runExecutable } from "./protocol/executable.ts";
import { runPlugin } from "./run.ts";
import { VERSION } from "./version.ts";

const USAGE = `A plugin for buf and protoc: it reads a CodeGeneratorRequest from standard input and writes a
CodeGeneratorResponse to standard output. Run it from buf.gen.yaml:

  plugins:
    - local: protoc-gen-connect-rest
      out: gen
      opt: [target=ts, import_extension=ts]

Options:
  target=ts|js|dts           languages of generated files, several joined by + (default: ts)
  import_extension=ts|js|none  what relative imports end in (default: none)
  map_imports=pattern:package  messages that a package has, by their .proto file; may be repeated
  rewrite_imports=pattern:path  import paths that become others; may be repeated
  keep_empty_files=true      also write files that hold no adapter (default: false)
  ts_nocheck=true            exempt TypeScript files from type checks (default: false)
  unsupported=error|skip     what becomes of methods that no REST call can fulfil (default: error)
  proto_path=proto           the directory of the .proto files, for their names in problems
  service_config=file.yaml   rules beside the .proto files; may be repeated
  comments=true              comments of messages and enums, in files that adapters load when asked
`;

await runExecutable({ name: "protoc-gen-connect-rest", version: VERSION, usage: USAGE, run: runPlugin });
