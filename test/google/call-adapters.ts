/**
 * A program that builds requests with generated adapters in plain Node. It reads cases as JSON from standard
 * input and writes requests as JSON to standard output. Tests run it in a separate process, because test
 * runners compile modules differently.
 */

import { json } from "node:stream/consumers";
import { pathToFileURL } from "node:url";
import { type DescMessage, fromBinary } from "@bufbuild/protobuf";
import type { AnyMethodAdapter, RestBody, RestRequest, ServiceAdapter } from "connect-rest-runtime/adapter";
import { stringifyJson } from "../../codec/src/json/stringify-json.ts";

/** A call of a method. */
export interface Call {
  /** The path of the module `x_rest.js`. */
  readonly module: string;
  /** The full name of the service. */
  readonly service: string;
  /** The method's name in TypeScript. */
  readonly method: string;
  /** The encoded request message, as base64. */
  readonly message: string;
}

/** The comparable parts of a request, or the reason why the request could not be built. */
export type Made =
  | { readonly verb: string; readonly path: string; readonly query: string; readonly body?: string }
  | { readonly error: string };

async function make({ module, service, method, message }: Call): Promise<Made> {
  const exported = Object.values(await import(pathToFileURL(module).href));
  const adapter = exported.find((value) => isAdapter(value) && value.service.typeName === service) as
    | ServiceAdapter
    | undefined;
  const found: AnyMethodAdapter | undefined = adapter?.methods[method];
  if (found === undefined) return { error: `${module} has no method ${service}.${method}` };
  try {
    const input: DescMessage = found.method.input;
    return describe(found.request(fromBinary(input, Buffer.from(message, "base64"))));
  } catch (error) {
    return { error: error instanceof Error ? error.message : String(error) };
  }
}

function describe({ verb, path, queryString, body }: RestRequest): Made {
  const made = { verb, path, query: queryString };
  return body === undefined ? made : { ...made, body: bodyText(body) };
}

function bodyText(body: RestBody): string {
  if (body.kind === "json") return stringifyJson(body.value);
  return `${body.kind}: ${body.kind === "bytes" ? Buffer.from(body.bytes).toString("base64") : ""}`;
}

function isAdapter(value: unknown): value is ServiceAdapter {
  return typeof value === "object" && value !== null && "service" in value && "methods" in value;
}

const calls = (await json(process.stdin)) as Call[];
const MADE: Made[] = [];
for (const call of calls) MADE.push(await make(call));
process.stdout.write(JSON.stringify(MADE));
