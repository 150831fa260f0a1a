#!/usr/bin/env node
import { runExecutable } from "./protocol/executable.ts";
import { runPlugin } from "./protocol/run.ts";
import { version } from "./version.ts";

const usage = `A plugin for buf and protoc: it reads a CodeGeneratorRequest from standard input and writes a
CodeGeneratorResponse to standard output. Run it from buf.gen.yaml:

  plugins:
    - local: protoc-gen-connect-rest
      out: gen
      opt: [target=ts, import_extension=ts]

Options: target=ts, import_extension=ts|js|none, unsupported=error|skip, service_config=file.yaml
`;

await runExecutable({ name: "protoc-gen-connect-rest", version, usage, run: runPlugin });
