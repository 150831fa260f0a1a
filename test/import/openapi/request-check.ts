import { toJsonString } from "@bufbuild/protobuf";
import { createValidator } from "@bufbuild/protovalidate";
import { ConnectError } from "@connectrpc/connect";
import fc from "fast-check";
import { CalledDocument, messagesOf } from "../calls.ts";
import { arbitraryRequest, variablesOf } from "./arbitrary-requests.ts";
import { keysOf, memberOf, OpenApi, type Operation } from "./document.ts";
import { RecordingUpstream } from "./recording-upstream.ts";
import { RequestChecker } from "./request-checker.ts";

/** Sends generated requests of all methods, and returns everything that their operations do not allow. */
export async function checkRequests(
  path: string,
  runs: number,
  operations: readonly Operation[],
  options: readonly string[] = [],
): Promise<{ readonly problems: readonly string[]; readonly unchecked: readonly string[] }> {
  const document = OpenApi.read(path);
  const called = await CalledDocument.load(path, "sent", options);
  const upstream = await RecordingUpstream.start();
  const transport = called.transportTo(upstream.address);
  const byPlace = new Map(operations.map((operation) => [operation.place, operation]));
  const checker = new RequestChecker(document, {
    patterns: called.reported(/^pattern /).map(([, place]) => place),
    merged: called.reported(/^merged-alternatives /).map(([, place]) => place),
    unions: called.reported(/^alternative-limits /).map(([, place]) => place),
    keys: [
      ...called.reported(/^undeclared-key /).map(([element]) => element.replace(/^.*?: /, "")),
      ...called.reported(/^null-in-request /).map(([element]) => element.replace(/^.*\./, "")),
    ],
  });
  const weakened = new Set(called.reported(/^.*weaker type\)/).map(([element]) => element));
  const validator = createValidator();
  const problems: string[] = [];
  const unchecked: string[] = [];
  const checked = new Set<string>();
  for (const method of called.methods) {
    const operation = byPlace.get(called.placeOf(method) ?? "");
    if (operation === undefined) continue;
    checked.add(operation.place);
    if (variablesOf(method).some((name) => weakened.has(`${method.input.name}.${name}`))) continue;
    let last: readonly string[] = [];
    let sent = 0;
    const requests = arbitraryRequest(method, weakened, contentTypes(operation));
    const property = fc.asyncProperty(requests, async (message) => {
      fc.pre(validator.validate(method.input, message).kind === "valid");
      const failure = await messagesOf(transport, method, message).catch((error: unknown) =>
        ConnectError.from(error),
      );
      const [request] = upstream.take();
      last = request === undefined ? [String(failure)] : await checker.problems(operation, request);
      sent += 1;
      if (last.length > 0) {
        last = last.map(
          (each) => `${method.name}: ${each}; ${request?.target}; ${toJsonString(method.input, message)}`,
        );
      }
      return last.length === 0;
    });
    const { failed } = await fc.check(property, { numRuns: runs, maxSkipsPerRun: 100 });
    if (failed && last.length > 0) problems.push(...last);
    if (sent < runs / 2) unchecked.push(method.name);
  }
  unchecked.push(...[...byPlace.keys()].filter((place) => !checked.has(place)));
  await transport.close();
  await upstream.close();
  called.remove();
  return { problems, unchecked };
}

function contentTypes({ body }: Operation): readonly string[] {
  return body === undefined ? [] : keysOf(memberOf(body.value, "content"));
}
