import { configuration } from "./configuration.ts";
import type { Project } from "./model.ts";
import { readme } from "./readme.ts";

/** The folder of the `.proto` files. */
export const PROTO_FOLDER = "proto";
/** The file for rules that users add to the imported files. */
export const RULES_FILE = "rules.yaml";

/** Returns the files of a project that are written only once, because users edit them. */
export function projectFiles(project: Project): ReadonlyMap<string, string> {
  return new Map([
    ["connect-rest.yaml", configuration(project)],
    ["buf.yaml", BUF],
    ["buf.gen.yaml", BUF_GENERATE],
    [RULES_FILE, RULES],
    ["README.md", readme(project)],
  ]);
}

const BUF = `version: v2
modules:
  - path: ${PROTO_FOLDER}
  - path: node_modules/protoc-gen-connect-rest
deps:
  - buf.build/bufbuild/protovalidate
lint:
  use: [STANDARD]
`;

const MAPS = `      - map_imports=connectrest/:connect-rest-runtime/gen
      - map_imports=google/api/:connect-rest-runtime/gen`;

const BUF_GENERATE = `version: v2
clean: true
inputs:
  - directory: ${PROTO_FOLDER}
plugins:
  - local: protoc-gen-es
    out: gen
    opt:
      - target=ts
      - import_extension=ts
      - erasable_syntax=true
      - map_imports=buf/validate/:@bufbuild/protovalidate/gen
${MAPS}
  - local: protoc-gen-connect-rest
    out: gen
    strategy: all
    opt:
      - target=ts
      - import_extension=ts
      - service_config=${RULES_FILE}
${MAPS}
`;

const RULES = `# Rules beside those of the imported .proto files, which are not for editing: pages, errors, units of times.
# The section "Service configs" of the annotations says how they are written.
type: google.api.Service
config_version: 3
`;
