import type { DescMethod, JsonValue } from "@bufbuild/protobuf";
import { formatJson } from "./json.ts";
import type { Header, Request } from "./rpc.ts";
import { pathOf } from "./schema.ts";

/** The header of a call whose token comes from the environment, because commands contain no tokens. */
export const TOKEN_HEADER: Header = ["authorization", "Bearer $TOKEN"];

/** Creates a command or a program that makes a call. */
export type Command = (method: DescMethod, request: Request, url: URL) => string;

/** Returns the commands for a method, by name. curl cannot send the envelopes of streams. */
export function commandsFor(method: DescMethod): Readonly<Record<string, Command>> {
  const all = { "buf curl": bufCurl, grpcurl, TypeScript: typeScript };
  return method.methodKind === "unary" ? { curl, ...all } : all;
}

const curl: Command = (method, { message, headers, timeoutMs }, { origin }) => {
  const all: Header[] = [["content-type", "application/json"], ...headers];
  if (timeoutMs !== undefined) all.push(["connect-timeout-ms", String(Math.ceil(timeoutMs))]);
  const options = all.map((header) => `-H ${headerWord(header)}`).join(" ");
  return `curl --data-raw ${data(message)} ${options} ${quoted(`${origin}/${pathOf(method)}`)}`;
};

const bufCurl: Command = (method, { message, headers, timeoutMs }, { origin, protocol }) => {
  const options = headers.map((header) => `--header ${headerWord(header)} `).join("");
  const cleartext = protocol === "http:" ? "--http2-prior-knowledge " : "";
  const time = timeoutMs === undefined ? "" : `--timeout ${Math.ceil(timeoutMs)}ms `;
  const target = quoted(`${origin}/${pathOf(method)}`);
  return `npx buf curl --protocol grpc ${cleartext}${options}${time}--data ${data(message)} ${target}`;
};

const grpcurl: Command = (method, { message, headers, timeoutMs }, { host, port, protocol }) => {
  const options = headers.map((header) => `-H ${headerWord(header)} `).join("");
  const isPlain = protocol === "http:";
  const time = timeoutMs === undefined ? "" : `-max-time ${timeoutMs / 1000} `;
  const target = port === "" ? `${host}:${isPlain ? 80 : 443}` : host;
  return `grpcurl ${isPlain ? "-plaintext " : ""}${options}${time}-d ${data(message)} ${target} ${pathOf(method)}`;
};

const typeScript: Command = (method, { message, headers, timeoutMs }, { origin, protocol }) => {
  const { parent, localName, methodKind } = method;
  const options = [
    ...(headers.length === 0 ? [] : [`headers: ${headersText(headers)}`]),
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

/** Returns a header as a word for a POSIX shell. The shell replaces the variable of the token. */
function headerWord(header: Header): string {
  const text = header.join(": ");
  return header === TOKEN_HEADER ? `"${text}"` : quoted(text);
}

function headersText(headers: readonly Header[]): string {
  const entries = headers.map((header) => {
    const [name, value] = header;
    const literal = header === TOKEN_HEADER ? '"Bearer " + process.env.TOKEN' : JSON.stringify(value);
    return `${JSON.stringify(name)}: ${literal}`;
  });
  return `{ ${entries.join(", ")} }`;
}

/** Quotes a word for a POSIX shell. */
function quoted(word: string): string {
  return `'${word.replaceAll("'", "'\\''")}'`;
}
