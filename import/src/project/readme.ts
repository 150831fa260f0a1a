import { variablesOf } from "./configuration.ts";
import { type Call, firstCall, localName } from "./first-call.ts";
import type { Project } from "./model.ts";

/** Returns the README of an imported project: the next commands, and which files users may edit. */
export function readme({ api, upstream, package: packageName, files }: Project): string {
  const variables = variablesOf(api, upstream);
  const call = firstCall(files);
  return `# ${api.title.replaceAll(/\s+/g, " ")}

\`proto/\` was written by \`connect-rest-import\` from an OpenAPI document. Generate the messages and adapters, start a gateway,
and call it:

\`\`\`sh
${variables.map((variable) => `export ${variable}=…\n`).join("")}npx buf generate
npx connect-rest serve
${call === undefined ? "" : command(call, packageName)}\`\`\`

${call === undefined ? "" : program(call)}- \`connect-rest.yaml\` names the upstream \`${upstream}\`, its address, and the environment variables of its credentials.
- \`proto/\` is not for editing: the next import writes it again, and rejects files that were changed by hand. Pages, errors, units
  of times and other rules go into \`rules.yaml\`, which \`buf.gen.yaml\` passes to the generator. \`npx connect-rest init\` writes
  \`buf.gen.yaml\` where it is missing.
- \`connect-rest-import.lock.json\` keeps names and field numbers, so that a document that grows changes no message on the wire.
  Commit it.
`;
}

function command({ service, method, request }: Call, packageName: string): string {
  const data = request.replaceAll("'", "'\\''");
  return `curl -d '${data}' -H 'content-type: application/json' http://127.0.0.1:8080/${packageName}.${service.name}/${method.name}\n`;
}

/** Returns a program that makes the same call. */
function program({ file, service, method, request }: Call): string {
  const { name } = service;
  return `To make the same call from TypeScript, run \`node call.ts\`:

\`call.ts\`:

\`\`\`ts
import { fromJson } from "@bufbuild/protobuf";
import { createClient } from "@connectrpc/connect";
import { createConnectTransport } from "@connectrpc/connect-node";
import { ${name} } from "./gen/${file.path.replace(/\.proto$/, "_pb.ts")}";

const transport = createConnectTransport({ baseUrl: "http://127.0.0.1:8080", httpVersion: "1.1" });
const request = fromJson(${name}.method.${localName(method)}.input, ${request});
console.log(await createClient(${name}, transport).${localName(method)}(request));
\`\`\`

`;
}
