import type { DescMethod, JsonValue } from "@bufbuild/protobuf";
import type { Request } from "./client.ts";
import { formatJson } from "./json.ts";
import { pathOf } from "./schema.ts";

/** Creates a command or a program that makes a call. */
export type Command = (method: DescMethod, request: Request, url: URL) => string;

/** Returns the commands for a method, by name. curl cannot send the envelopes of streams. */
export function commandsFor(method: DescMethod): Readonly<Record<string, Command>> {
  const all = { "buf curl": bufCurl, grpcurl, TypeScript: typeScript };
  return method.methodKind === "unary" ? { curl, ...all } : all;
}

const curl: Command = (method, { message, headers, timeoutMs }, { origin }) => {
  const all = [["content-type", "application/json"], ...headers];
  if (timeoutMs !== undefined) all.push(["connect-timeout-ms", String(Math.ceil(timeoutMs))]);
  const options = all.map(([name, value]) => `-H ${quoted(`${name}: ${value}`)}`).join(" ");
  return `curl --data-raw ${data(message)} ${options} ${quoted(`${origin}/${pathOf(method)}`)}`;
};

const bufCurl: Command = (method, { message, headers, timeoutMs }, { origin, protocol }) => {
  const options = headers.map(([name, value]) => `--header ${quoted(`${name}: ${value}`)} `).join("");
  const cleartext = protocol === "http:" ? "--http2-prior-knowledge " : "";
  const time = timeoutMs === undefined ? "" : `--timeout ${Math.ceil(timeoutMs)}ms `;
  const target = quoted(`${origin}/${pathOf(method)}`);
  return `npx buf curl --protocol grpc ${cleartext}${options}${time}--data ${data(message)} ${target}`;
};

const grpcurl: Command = (method, { message, headers, timeoutMs }, { host, port, protocol }) => {
  const options = headers.map(([name, value]) => `-H ${quoted(`${name}: ${value}`)} `).join("");
  const isPlain = protocol === "http:";
  const time = timeoutMs === undefined ? "" : `-max-time ${timeoutMs / 1000} `;
  const target = port === "" ? `${host}:${isPlain ? 80 : 443}` : host;
  return `grpcurl ${isPlain ? "-plaintext " : ""}${options}${time}-d ${data(message)} ${target} ${pathOf(method)}`;
};

const typeScript: Command = (method, { message, headers, timeoutMs }, { origin, protocol }) => {
  const { parent, localName, methodKind } = method;
  const options = [
    ...(headers.length === 0 ? [] : [`headers: ${JSON.stringify(Object.fromEntries(headers))}`]),
    ...(timeoutMs === undefined ? [] : [`timeoutMs: ${timeoutMs}`]),
  ];
  const call = `client.${localName}(request${options.length === 0 ? "" : `, { ${options.join(", ")} }`})`;
  const use =
    methodKind === "unary"
      ? `console.log(await ${call});`
      : `for await (const message of ${call}) console.log(message);`;
  return `import { fromJson } from "@bufbuild/protobuf";
import { createClient } from "@connectrpc/connect";
import { createConnectTransport } from "@connectrpc/connect-node";
import { ${parent.name} } from "./gen/${parent.file.name}_pb.js";

const baseUrl = ${JSON.stringify(origin)};
const transport = createConnectTransport({ baseUrl, httpVersion: ${protocol === "http:" ? '"1.1"' : '"2"'} });
const client = createClient(${parent.name}, transport);
const request = fromJson(${parent.name}.method.${localName}.input, ${formatJson(message)});
${use}
`;
};

function data(message: JsonValue): string {
  return quoted(JSON.stringify(message));
}

/** Quotes a word for a POSIX shell. */
function quoted(word: string): string {
  return `'${word.replaceAll("'", "'\\''")}'`;
}
