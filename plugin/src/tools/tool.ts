import { createHash } from "node:crypto";
import type { DescMethod } from "@bufbuild/protobuf";
import { MethodOptions_IdempotencyLevel as Level } from "@bufbuild/protobuf/wkt";
import { commentOf } from "../descriptors/comments.ts";
import { localName } from "../descriptors/names.ts";
import type { MethodModel } from "../model/model.ts";
import { templateText } from "../print/template.ts";
import type { JsonSchema } from "./schema/json-schema.ts";
import { messageSchema } from "./schema/message.ts";

/** A method as a tool of a language model. */
export interface Tool {
  /** `PostService_ListPosts`: letters, digits, `_` and `-`, at most 64. */
  readonly name: string;
  readonly title: string;
  readonly description: string;
  /** The request in ProtoJSON. */
  readonly inputSchema: JsonSchema;
  readonly annotations: Annotations;
}

/** Hints on what a call does; true is the careful answer for `destructiveHint`, false for the others. */
export interface Annotations {
  readonly readOnlyHint: boolean;
  readonly idempotentHint: boolean;
  readonly destructiveHint: boolean;
}

const LONGEST_NAME = 64;
const SAFE: ReadonlySet<string> = new Set(["GET", "HEAD", "OPTIONS"]);
const IDEMPOTENT: ReadonlySet<string> = new Set(["PUT", "DELETE"]);

export function toolOf(method: MethodModel): Tool {
  const { desc, bindings } = method;
  const [binding] = bindings;
  const place = binding === undefined ? "" : `${binding.verb} ${templateText(binding.template)}`;
  return {
    name: toolName(desc),
    title: titleOf(desc.name),
    description: commentOf(desc) || `Calls ${desc.parent.typeName}.${desc.name}: ${place}`,
    inputSchema: messageSchema(desc.input, pathFields(method)),
    annotations: annotationsOf(desc, binding?.verb ?? ""),
  };
}

/** Service and method; one that is too long is cut, and ends in eight digits of its hash. */
export function toolName(desc: DescMethod): string {
  const name = `${localName(desc.parent)}_${desc.name}`;
  if (name.length <= LONGEST_NAME) return name;
  const hash = createHash("sha256").update(`${desc.parent.typeName}.${desc.name}`).digest("hex").slice(0, 8);
  return `${name.slice(0, LONGEST_NAME - hash.length - 1)}_${hash}`;
}

/** `ListPostLikes` becomes `List post likes`; words in capitals stay. */
export function titleOf(name: string): string {
  const words = name.match(/[A-Z]+(?![a-z])|[A-Z]?[a-z]+|[0-9]+/g) ?? [name];
  const lower = words.map((word) => (/^[A-Z]{2,}$/.test(word) ? word : word.toLowerCase()));
  const text = lower.join(" ");
  return text.charAt(0).toUpperCase() + text.slice(1);
}

/** From the option idempotency_level, or else from the HTTP method (RFC 9110 section 9.2). */
export function annotationsOf(desc: DescMethod, verb: string): Annotations {
  const { idempotency } = desc;
  const readOnlyHint = idempotency === Level.NO_SIDE_EFFECTS || SAFE.has(verb);
  const idempotentHint = readOnlyHint || idempotency === Level.IDEMPOTENT || IDEMPOTENT.has(verb);
  // a POST may delete as well as create: nothing tells which, so a person should be asked
  return { readOnlyHint, idempotentHint, destructiveHint: !readOnlyHint };
}

/** Fields that stand in the path of every binding: a call without them cannot be made. */
function pathFields({ bindings }: MethodModel): Set<string> {
  const [first = new Set<string>(), ...others] = bindings.map(
    (binding) => new Set([...binding.variables.values()].map(([field]) => field.jsonName)),
  );
  return new Set([...first].filter((name) => others.every((names) => names.has(name))));
}
