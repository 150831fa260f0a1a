/** Makes documents whose operations receive and send values of the same schema. */
import {
  type Json,
  type JsonObject,
  keysOf,
  memberOf,
  type OpenApi,
  type Operation,
  type Part,
} from "./document.ts";

/** A schema of a JSON body, and the operation that echoes it. */
export interface Echo {
  /** The operation and the body with the schema, for messages. */
  readonly name: string;
  readonly operationId: string;
  readonly schema: Part;
  /** The examples of the document for the body. */
  readonly examples: readonly Part[];
}

/** Returns an echo for each JSON body of these operations. Bodies with the same schema share an echo. */
export function echoesOf(document: OpenApi, operations: readonly Operation[]): Echo[] {
  const found = new Map<string, Echo>();
  for (const operation of operations) {
    for (const [status, owner] of [["request", operation.body] as const, ...operation.responses]) {
      if (owner === undefined || /^[345d]/.test(status)) continue;
      for (const type of keysOf(memberOf(owner.value, "content"))) {
        if (!/[/+]json$/.test(type)) continue;
        const content = document.child(owner, "content", type);
        const schema = content === undefined ? undefined : document.child(content, "schema");
        if (content === undefined || schema === undefined) continue;
        const target = document.follow(schema);
        const before = found.get(target.pointer);
        const examples = [...(before?.examples ?? []), ...examplesOf(document, content)];
        const name = `${operation.verb} ${operation.path} ${status}`;
        const operationId = before?.operationId ?? `echo${found.size}`;
        found.set(target.pointer, { name: before?.name ?? name, operationId, schema: target, examples });
      }
    }
  }
  return [...found.values()];
}

function examplesOf(document: OpenApi, content: Part): Part[] {
  const example = document.child(content, "example");
  const named = keysOf(memberOf(content.value, "examples")).flatMap((name) => {
    return document.child(content, "examples", name, "value") ?? [];
  });
  return [...(example === undefined ? [] : [example]), ...named];
}

/** Returns the document with the echoes as its only operations. */
export function echoDocument({ value, version }: OpenApi, echoes: readonly Echo[]): JsonObject {
  const paths = echoes.map(({ operationId, schema }) => {
    const content: Json = { "application/json": { schema: { $ref: reference(schema) } } };
    const put: Json = {
      operationId,
      tags: ["echo"],
      requestBody: { required: true, content },
      responses: { 200: { description: "", content } },
    };
    return [`/${operationId}`, { put }] as const;
  });
  return {
    openapi: version === "3.0" ? "3.0.3" : "3.1.0",
    info: { title: "Echo", version: "1" },
    paths: Object.fromEntries(paths),
    components: value.components ?? {},
    "x-paths": value.paths ?? {},
  };
}

/** Returns a reference to a schema. The paths of the document are moved to `x-paths`. */
function reference({ pointer }: Part): string {
  const [, first = "", ...steps] = pointer.split("/");
  return ["#", first === "paths" ? "x-paths" : first, ...steps.map(encodeURIComponent)].join("/");
}
