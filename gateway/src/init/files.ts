/** The files of a new project. */
import { stringify } from "yaml";
import { CREDENTIALS, type Project, packageOf, variablePrefix } from "./project.ts";

/** Returns the files by their paths, without `package.json`. */
export function projectFiles(project: Project): ReadonlyMap<string, string> {
  const shared = [
    ["buf.yaml", BUF],
    ["buf.gen.yaml", bufGenerate(project.document !== undefined)],
    ["tsconfig.json", TSCONFIG],
    [".gitignore", GITIGNORE],
  ] as const;
  // `connect-rest import` writes these files itself.
  if (project.document !== undefined) return new Map(shared);
  return new Map([
    ...shared,
    [protoPath(project), exampleProto(project)],
    ["connect-rest.yaml", configuration(project)],
    ["README.md", readme(project)],
  ]);
}

/** The content of `buf.yaml`. Its second module contains the annotations and the files that they import. */
const BUF = `version: v2
modules:
  - path: proto
  - path: node_modules/protoc-gen-connect-rest/protos
    lint:
      ignore: [node_modules/protoc-gen-connect-rest/protos]
lint:
  use: [STANDARD]
`;

const MAPS = `      # The runtime has the messages of the annotations.
      - map_imports=connectrest/:connect-rest-runtime/gen
      - map_imports=google/api/:connect-rest-runtime/gen
`;

function bufGenerate(hasRules: boolean): string {
  return `version: v2
clean: true
inputs:
  - directory: proto
plugins:
  - local: protoc-gen-es
    out: gen
    opt:
      - target=ts
      - import_extension=ts
      - erasable_syntax=true
      - map_imports=buf/validate/:@bufbuild/protovalidate/gen
${MAPS}  - local: protoc-gen-connect-rest
    out: gen
    strategy: all
    opt:
      - target=ts
      - import_extension=ts
${hasRules ? "      - service_config=rules.yaml\n" : ""}${MAPS}`;
}

const TSCONFIG = `{
  "compilerOptions": {
    "target": "esnext",
    "module": "nodenext",
    "types": ["node"],
    "noEmit": true,
    "strict": true,
    "allowImportingTsExtensions": true,
    "erasableSyntaxOnly": true,
    "verbatimModuleSyntax": true,
    "skipLibCheck": true
  },
  "include": ["**/*.ts"]
}
`;

const GITIGNORE = "node_modules/\n";

function protoPath({ name }: Project): string {
  return `proto/${name}/v1/${name}.proto`;
}

function serviceOf({ name }: Project): string {
  const words = name.split("_").map((word) => `${word[0]?.toUpperCase()}${word.slice(1)}`);
  return `${words.join("")}Service`;
}

/** A description with one method, to be replaced by the methods of the API. */
function exampleProto(project: Project): string {
  const { name, credentials } = project;
  const key = credentials === "api-key" ? '    api_key: {header: "X-Api-Key"}\n' : "";
  return `syntax = "proto3";

package ${packageOf(project)};

import "connectrest/v1/annotations.proto";
import "google/api/annotations.proto";

// An example: replace the method and its messages by methods of the API.
service ${serviceOf(project)} {
  option (connectrest.v1.service) = {
    // The upstream's name in connect-rest.yaml.
    upstream: "${name}"
${key}    credentials: ${CREDENTIALS[credentials]}
  };

  // Gets an item.
  rpc GetItem(GetItemRequest) returns (GetItemResponse) {
    option (google.api.http) = {get: "/items/{id}"};
  }
}

// A request for an item.
message GetItemRequest {
  // The ID of the item.
  string id = 1;
}

// An item.
message GetItemResponse {
  // The ID of the item.
  string id = 1;
  // The title of the item.
  string title = 2;
}
`;
}

function configuration(project: Project): string {
  const { name, baseUrl } = project;
  const credentials = credentialSettings(project);
  return stringify({
    adapters: [`./gen/${name}/v1/${name}_rest.ts`],
    upstreams: { [name]: { baseUrl, ...(credentials === undefined ? {} : { credentials }) } },
  });
}

function credentialSettings(project: Project): object | undefined {
  const prefix = variablePrefix(project);
  switch (project.credentials) {
    case "none":
      return undefined;
    case "api-key":
      return { apiKey: { env: `${prefix}_KEY` } };
    case "bearer":
      return { oauth2: { accessToken: { env: `${prefix}_TOKEN` } } };
    case "basic":
      return { basic: { username: { env: `${prefix}_USER` }, password: { env: `${prefix}_PASSWORD` } } };
  }
}

/** Returns the environment variables that the configuration reads. */
export function variablesOf(project: Project): readonly string[] {
  if (project.document !== undefined) return [];
  return [...configuration(project).matchAll(/env: (\w+)/g)].map(([, name = ""]) => name);
}

/** Returns the target of the example's method, for `curl`. */
export function exampleTarget(project: Project): string {
  return `${packageOf(project)}.${serviceOf(project)}/GetItem`;
}

function readme(project: Project): string {
  const { name } = project;
  return `# ${name}

\`${protoPath(project)}\` describes the API. Generate the messages and the adapter, check the types, start a gateway, and call it:

\`\`\`sh
npm run generate
npm run check
${variablesOf(project)
  .map((variable) => `export ${variable}=…\n`)
  .join("")}npm start
curl -d '{"id":"1"}' -H 'content-type: application/json' http://127.0.0.1:8080/${exampleTarget(project)}
\`\`\`

To make the same call from TypeScript, run \`node call.ts\`:

\`call.ts\`:

\`\`\`ts
import { createClient } from "@connectrpc/connect";
import { createConnectTransport } from "@connectrpc/connect-node";
import { ${serviceOf(project)} } from "./gen/${name}/v1/${name}_pb.ts";

const transport = createConnectTransport({ baseUrl: "http://127.0.0.1:8080", httpVersion: "1.1" });
console.log(await createClient(${serviceOf(project)}, transport).getItem({ id: "1" }));
\`\`\`

- \`connect-rest.yaml\` has the address of the API and its credentials. \`npx connect-rest check-config\` checks the file.
- \`gen/\` is generated. \`gen/${name}/v1/${name}_rest.ts\` has the adapter, which also works in-process, without the gateway.
- The annotations: \`node_modules/connect-rest-runtime/docs/annotations.md\`, and recipes next to it.
`;
}
