import { jsonName } from "../names/words.ts";
import type { File, Method, Service } from "../proto/model.ts";
import { Sampler } from "./sample.ts";

/** A call that a README shows. */
export interface Call {
  readonly file: File;
  readonly service: Service;
  readonly method: Method;
  /** The smallest request that the rules of its fields allow, as JSON. */
  readonly request: string;
}

/** The HTTP methods from the safest, so that a first call changes nothing if possible. */
const VERBS = ["get", "custom", "post", "put", "patch", "delete"];

/** Returns the call that changes and requires least; undefined if all methods are streams. */
export function firstCall(files: readonly File[]): Call | undefined {
  const calls = files.flatMap((file) =>
    file.services.flatMap((service) =>
      service.methods
        .filter(({ serverStreaming }) => !serverStreaming)
        .map((method) => ({ file, service, method, ...requestOf(method) })),
    ),
  );
  return calls.toSorted(
    (one, other) =>
      one.verb - other.verb || one.gaps - other.gaps || one.request.length - other.request.length,
  )[0];
}

function requestOf({ input, options }: Method): { verb: number; gaps: number; request: string } {
  const http = Object.entries(options.find(({ name }) => name === "(google.api.http)")?.value ?? {});
  const verb = VERBS.indexOf(http[0]?.[0] ?? "");
  const pattern = JSON.stringify(http);
  const variables = new Set([...pattern.matchAll(/\{(\w+)\}/g)].map(([, name = ""]) => jsonName(name)));
  const sampler = new Sampler();
  const request = sampler.message(input, variables);
  return { verb, gaps: sampler.gaps, request: JSON.stringify(request) };
}

/** The methods of JavaScript objects, to whose names generated code adds a dollar sign. */
const OBJECT_METHODS = new Set(["constructor", "toString", "toJSON", "valueOf"]);

/** Returns the name of a method in generated TypeScript. */
export function localName({ name }: Method): string {
  const local = jsonName(`${name.charAt(0).toLowerCase()}${name.slice(1)}`);
  return OBJECT_METHODS.has(local) ? `${local}$` : local;
}
