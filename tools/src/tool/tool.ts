import type { DescMethod } from "@bufbuild/protobuf";
import { MethodOptions_IdempotencyLevel as Level } from "@bufbuild/protobuf/wkt";
import { type MethodModel, templateText } from "protoc-gen-connect-rest/kit";
import { descriptionOf } from "../schema/description.ts";
import { titleOf, toolName } from "./tool-name.ts";

/** A method as a tool of a language model: what the runtime's type `Tool` has, but the schemas. */
export interface ToolModel {
  readonly desc: DescMethod;
  readonly name: string;
  readonly title: string;
  readonly description: string;
  /** JSON names of the request's fields without which no call can be made: those in the path of every binding. */
  readonly needed: ReadonlySet<string>;
  readonly annotations: Annotations;
}

/** Hints on what a call does; true is the careful answer for `destructiveHint`, false for the first two. */
export interface Annotations {
  readonly readOnlyHint: boolean;
  readonly idempotentHint: boolean;
  readonly destructiveHint: boolean;
  readonly openWorldHint: boolean;
}

const SAFE: ReadonlySet<string> = new Set(["GET", "HEAD", "OPTIONS"]);
const IDEMPOTENT: ReadonlySet<string> = new Set(["PUT", "DELETE"]);

export function toolOf(method: MethodModel): ToolModel {
  const { desc, bindings } = method;
  const [binding] = bindings;
  const place = binding === undefined ? "" : `${binding.verb} ${templateText(binding.template)}`;
  return {
    desc,
    name: toolName(desc),
    title: titleOf(desc.name),
    description: descriptionOf(desc) || `Calls ${desc.parent.typeName}.${desc.name}: ${place}`,
    needed: pathFields(method),
    annotations: annotationsOf(desc, binding?.verb ?? "", method.annotation.idempotent),
  };
}

/**
 * From the rule `idempotent`, the option idempotency_level, or else from the HTTP method (RFC 9110 section 9.2). What must
 * not be repeated changes something.
 */
export function annotationsOf(desc: DescMethod, verb: string, idempotent?: boolean): Annotations {
  const { idempotency } = desc;
  const readOnlyHint = idempotent !== false && (idempotency === Level.NO_SIDE_EFFECTS || SAFE.has(verb));
  const isIdempotent = readOnlyHint || idempotency === Level.IDEMPOTENT || IDEMPOTENT.has(verb);
  const idempotentHint = idempotent ?? isIdempotent;
  // a POST may delete as well as create: nothing tells which, so a person should be asked
  return { readOnlyHint, idempotentHint, destructiveHint: !readOnlyHint, openWorldHint: true };
}

/** The paths of fields, by JSON names joined by dots, that every binding has in its path. */
function pathFields({ bindings }: MethodModel): Set<string> {
  const [first = new Set<string>(), ...others] = bindings.map(
    (binding) =>
      new Set([...binding.variables.values()].map((path) => path.map((field) => field.jsonName).join("."))),
  );
  return new Set([...first].filter((name) => others.every((names) => names.has(name))));
}
