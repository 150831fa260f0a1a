/** Calls of the sampled methods, and the requests that adapters and google-gax build for them. */
import { spawn } from "node:child_process";
import { join } from "node:path";
import { json } from "node:stream/consumers";
import { type DescMethod, toBinary } from "@bufbuild/protobuf";
import type { HttpRule } from "../../plugin/src/gen/google/api/http_pb.ts";
import { httpRule } from "../../plugin/src/parse/options.ts";
import { parsePathTemplate } from "../../plugin/src/parse/path-template.ts";
import type { Call, Made } from "./call-adapters.ts";
import { gaxRequest } from "./gax.ts";
import { Messages } from "./messages.ts";
import { Random } from "./random.ts";
import type { Sample } from "./sample.ts";

/** The share of the fields that have a value, for each request of a method. */
const SHARES = [1, 0.5, 0.1];

/** A request as built by the adapter and by google-gax. */
export interface Pair {
  readonly method: DescMethod;
  readonly ours: Made;
  readonly theirs: Made;
}

/** Builds the requests for a sample whose generated code is in a folder. */
export async function makePairs(sample: Sample, folder: string): Promise<Pair[]> {
  const messages = new Messages(new Random(1), sample.registry);
  const cases = sample.methods.flatMap((method) =>
    SHARES.map((share, index) => ({ method, message: requestOf(method, messages, share, index) })),
  );
  const ours = await callAdapters(
    cases.map(({ method, message }) => ({
      module: join(folder, `${method.parent.file.name}_rest.js`),
      service: method.parent.typeName,
      method: method.localName,
      message: Buffer.from(message).toString("base64"),
    })),
  );
  return cases.map(({ method, message }, index) => ({
    method,
    ours: ours[index] ?? { error: "no answer" },
    theirs: gaxRequest(method, message, sample.registry),
  }));
}

/** Returns a request. The n-th request of a method has values for the path variables of the n-th binding. */
function requestOf(method: DescMethod, messages: Messages, share: number, index: number): Uint8Array {
  const rule = httpRule(method);
  if (rule === undefined) throw new Error(`${method} has no HTTP rule`);
  const bindings = [rule, ...rule.additionalBindings];
  const binding = bindings[index % bindings.length] ?? rule;
  const message = messages.request(method.input, parsePathTemplate(pathOf(binding)), share).message;
  return toBinary(method.input, message);
}

function pathOf({ pattern }: HttpRule): string {
  return pattern.case === "custom" ? pattern.value.path : (pattern.value ?? "");
}

async function callAdapters(calls: readonly Call[]): Promise<Made[]> {
  const program = join(import.meta.dirname, "call-adapters.ts");
  const child = spawn(process.execPath, [program], { stdio: ["pipe", "pipe", "inherit"] });
  child.stdin.end(JSON.stringify(calls));
  return (await json(child.stdout)) as Made[];
}
