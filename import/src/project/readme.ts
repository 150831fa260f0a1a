import { variablesOf } from "./configuration.ts";
import type { Project } from "./model.ts";

/** Returns the README of an imported project: the next commands, and which files users may edit. */
export function readme({ api, upstream, package: packageName, services }: Project): string {
  const variables = variablesOf(api, upstream);
  const [service] = services;
  const unary = service?.methods.find(({ serverStreaming }) => !serverStreaming);
  const target = `${packageName}.${service?.name ?? ""}/${unary?.name ?? ""}`;
  return `# ${api.title.replaceAll(/\s+/g, " ")}

\`proto/\` was written by \`connect-rest-import\` from an OpenAPI document. Generate the messages and adapters, start a gateway,
and call it:

\`\`\`sh
${variables.map((variable) => `export ${variable}=…\n`).join("")}npx buf generate
npx connect-rest serve
curl -d '{}' -H 'content-type: application/json' http://127.0.0.1:8080/${target}
\`\`\`

- \`connect-rest.yaml\` names the upstream \`${upstream}\`, its address, and the environment variables of its credentials.
- \`proto/\` is not for editing: the next import writes it again, and rejects files that were changed by hand. Pages, errors, units
  of times and other rules go into \`rules.yaml\`, which \`buf.gen.yaml\` passes to the generator. \`npx connect-rest init\` writes
  \`buf.gen.yaml\` where it is missing.
- \`connect-rest-import.lock.json\` keeps names and field numbers, so that a document that grows changes no message on the wire.
  Commit it.
`;
}
