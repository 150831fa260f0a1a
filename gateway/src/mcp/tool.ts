import { createHash } from "node:crypto";
import { type DescMethod, getOption, hasOption, ScalarType } from "@bufbuild/protobuf";
import { MethodOptions_IdempotencyLevel as Level } from "@bufbuild/protobuf/wkt";
import { http } from "connect-rest-runtime/gen/google/api/annotations_pb.js";
import { methodPath } from "../call/method-path.ts";
import { isReadOnly } from "../explain/read-only.ts";
import type { JsonSchema } from "./json-schema.ts";
import { type Comments, messageSchema } from "./message-schema.ts";

/** A method as a tool of the Model Context Protocol. */
export interface Tool {
  readonly name: string;
  readonly title: string;
  readonly method: DescMethod;
  /** `package.Service/Method`. */
  readonly path: string;
  readonly description: string;
  readonly annotations: ToolAnnotations;
  /** Computed when first read, because most tools of a large gateway are never described. */
  readonly inputSchema: ObjectSchema;
  readonly outputSchema: ObjectSchema;
  /** Whether a request message is the member `value` of the arguments, because its JSON is not an object. */
  readonly isInputWrapped: boolean;
}

/** The schemas of tools describe objects. */
export type ObjectSchema = JsonSchema & { readonly type: "object" };

/** Hints for clients. A tool that may change data counts as destructive, since no option says otherwise. */
export interface ToolAnnotations {
  readonly readOnlyHint: boolean;
  readonly idempotentHint: boolean;
  readonly destructiveHint: boolean;
}

const MAX_NAME = 64;

/** Creates the tools of methods, sorted by path. A name depends on other names only if they collide. */
export function createTools(methods: readonly DescMethod[], comments: Comments): readonly Tool[] {
  const sorted = [...methods].sort((a, b) => (methodPath(a) < methodPath(b) ? -1 : 1));
  const counts = new Map<string, number>();
  for (const method of sorted) counts.set(plainName(method), (counts.get(plainName(method)) ?? 0) + 1);
  return sorted.map((method) => {
    const plain = plainName(method);
    const isUnique = counts.get(plain) === 1 && plain.length <= MAX_NAME;
    return new MethodTool(method, isUnique ? plain : hashedName(plain, method), comments);
  });
}

/** Returns whether a method is read-only, by its options. */
export function isReadOnlyMethod(method: DescMethod): boolean {
  return isReadOnly(method, verbOf(method));
}

function plainName(method: DescMethod): string {
  return methodPath(method).replaceAll(/[./]/g, "_");
}

function hashedName(plain: string, method: DescMethod): string {
  const hash = createHash("sha256").update(methodPath(method)).digest("hex").slice(0, 8);
  return `${plain.slice(-(MAX_NAME - hash.length - 1))}_${hash}`;
}

/** Returns the verb of a method's `google.api.http`; undefined if another place describes the method. */
function verbOf(method: DescMethod): string {
  if (!hasOption(method, http)) return "";
  const { pattern } = getOption(method, http);
  return pattern.case === "custom" ? pattern.value.kind : (pattern.case ?? "").toUpperCase();
}

/** Returns the texts that the path of a method contains, which must not be empty. */
function pathFields(method: DescMethod): readonly string[] {
  if (!hasOption(method, http)) return [];
  const { pattern, additionalBindings } = getOption(method, http);
  const path = typeof pattern.value === "string" ? pattern.value : pattern.value?.path;
  if (path === undefined || additionalBindings.length > 0) return [];
  const names = new Set([...path.matchAll(/\{(\w+)(?:=[^}]*)?\}/g)].map(([, name]) => name));
  return method.input.fields
    .filter((field) => names.has(field.name) && field.scalar === ScalarType.STRING)
    .map(({ jsonName }) => jsonName);
}

class MethodTool implements Tool {
  readonly name: string;
  readonly title: string;
  readonly method: DescMethod;
  readonly path: string;
  readonly description: string;
  readonly annotations: ToolAnnotations;
  private readonly comments: Comments;
  private input: ObjectSchema | undefined;
  private output: ObjectSchema | undefined;

  constructor(method: DescMethod, name: string, comments: Comments) {
    this.name = name;
    this.method = method;
    this.path = methodPath(method);
    this.title = titleOf(method.name);
    this.comments = comments;
    this.description = descriptionOf(method, comments);
    this.annotations = annotationsOf(method);
  }

  get isInputWrapped(): boolean {
    return this.plainInput().type !== "object";
  }

  get inputSchema(): ObjectSchema {
    this.input ??= objectSchema(this.plainInput());
    return this.input;
  }

  get outputSchema(): ObjectSchema {
    this.output ??= this.buildOutput();
    return this.output;
  }

  private plainInput(): JsonSchema {
    const { input } = this.method;
    const schema = messageSchema(input, { comments: this.comments, hasRules: true });
    const required = [...new Set([...(schema.required ?? []), ...pathFields(this.method)])];
    return required.length === 0 ? schema : { ...schema, required };
  }

  private buildOutput(): ObjectSchema {
    const { method, comments } = this;
    const schema = messageSchema(method.output, { comments, hasRules: false });
    if (method.methodKind === "unary") return objectSchema(schema);
    const { $defs, ...items } = schema;
    return {
      type: "object",
      properties: {
        messages: { type: "array", items, description: "The messages of the stream, in order." },
        end: { enum: STREAM_ENDS, description: "Why the list of messages ends." },
      },
      required: ["messages", "end"],
      additionalProperties: false,
      ...($defs !== undefined && { $defs }),
    };
  }
}

/** Why the result of a stream has no more messages: the stream has ended, or a limit was reached. */
export const STREAM_ENDS = ["complete", "message_limit", "byte_limit", "time_limit"] as const;
export type StreamEnd = (typeof STREAM_ENDS)[number];

/** Returns the schema of an object that has the value, if the JSON of the value is not an object. */
function objectSchema(schema: JsonSchema): ObjectSchema {
  if (schema.type === "object") return { ...schema, type: "object" };
  const { $defs, ...value } = schema;
  return {
    type: "object",
    properties: { value },
    additionalProperties: false,
    ...($defs !== undefined && { $defs }),
  };
}

/** Returns the words of a name: `GetBlogInfo` becomes `Get blog info`. */
function titleOf(name: string): string {
  const words = wordsOf(name).join(" ");
  return words.charAt(0).toUpperCase() + words.slice(1);
}

/** Returns the words of an identifier or of a text, in lower case. */
export function wordsOf(text: string): string[] {
  return text
    .replaceAll(/([a-z0-9])([A-Z])/g, "$1 $2")
    .replaceAll(/([A-Z]+)([A-Z][a-z])/g, "$1 $2")
    .toLowerCase()
    .split(/[^\p{L}\p{N}]+/u)
    .filter((word) => word !== "");
}

function descriptionOf(method: DescMethod, comments: Comments): string {
  const { parent, name, methodKind } = method;
  const text = comments.get(`${parent.typeName}.${name}`);
  const stream =
    methodKind === "unary"
      ? undefined
      : "Returns the first messages of a stream, up to limits of number, size and time.";
  return [text, stream, `Calls ${methodPath(method)}.`].filter((part) => part !== undefined).join("\n\n");
}

function annotationsOf(method: DescMethod): ToolAnnotations {
  const isSafe = isReadOnlyMethod(method);
  const verb = verbOf(method);
  const { idempotency } = method;
  return {
    readOnlyHint: isSafe,
    idempotentHint: isSafe || idempotency === Level.IDEMPOTENT || verb === "PUT" || verb === "DELETE",
    destructiveHint: !isSafe,
  };
}
