/** The ways in which the methods of a run use the fields of messages. */
import type { DescField, DescFile, DescMessage, DescMethod } from "@bufbuild/protobuf";
import { valueMessageOf } from "../descriptors/well-known.ts";
import { parameterPaths } from "./body-fields.ts";
import type { BindingModel, FileModel, MethodModel } from "./model.ts";
import { isTree, type TypeModels } from "./types.ts";

/**
 * A way in which a field is used: it is read from a response, or sent as JSON, as a parameter (in a path, a
 * query, a header, a cookie or a form), in the names of parameters with brackets, or as a part of a multipart
 * body.
 */
export type Use = "response" | "json" | "parameter" | "tree" | "part";

const ALL: readonly Use[] = ["response", "json", "parameter", "tree", "part"];

/** The uses of every field that a method reads or sends. */
export class FieldUses {
  private readonly uses = new Map<DescField, Set<Use>>();
  private readonly reached = new Map<Use, Set<DescMessage>>();
  private readonly types: TypeModels;

  constructor(types: TypeModels) {
    this.types = types;
  }

  /** Adds the methods of files and of the files that they import. */
  addFiles(files: readonly DescFile[], models: readonly FileModel[]): void {
    const methods = models.flatMap(({ services }) => services.flatMap(({ methods }) => methods));
    const parsed = new Map(methods.map((method) => [method.desc, method]));
    for (const { services } of withImports(files)) {
      for (const desc of services.flatMap(({ methods }) => methods)) this.addMethod(desc, parsed.get(desc));
    }
  }

  [Symbol.iterator](): Iterator<[DescField, ReadonlySet<Use>]> {
    return this.uses[Symbol.iterator]();
  }

  /** @param method undefined if the method is not generated, so that the uses of its messages are unknown */
  private addMethod(desc: DescMethod, method: MethodModel | undefined): void {
    for (const use of method === undefined ? ALL : ["response" as const]) this.addMessage(desc.output, use);
    for (const use of method === undefined ? ALL : []) this.addMessage(desc.input, use);
    if (method !== undefined) this.addRequest(method);
  }

  /** Adds the request of a method. */
  addRequest({ desc, bindings, stream }: MethodModel): void {
    if (stream?.kind === "upload") {
      for (const use of ALL) this.addMessage(desc.input, use);
    }
    for (const binding of bindings) this.addBinding(binding);
  }

  private addBinding(binding: BindingModel): void {
    const { variables, headers, cookies, oauth1Params, body } = binding;
    const direct = [...variables.values(), ...headers, ...cookies, ...oauth1Params];
    for (const path of [...direct, ...parameterPaths(binding)]) {
      for (const field of path) this.add(field, "parameter");
      const last = path.at(-1) as DescField;
      this.addField(last, "parameter");
      if (isTree(last, this.types)) this.addField(last, "tree");
    }
    const isJson = body.kind === "multipart" && (body.jsonPart !== undefined || body.whenParts);
    if (body.kind === "fields" || isJson) {
      for (const field of body.fields) this.addField(field, "json");
    }
    if (body.kind === "field" || body.kind === "lines") this.addField(body.field, "json");
    if (body.kind === "multipart") {
      for (const [field] of body.parts) this.addField(field, "part");
    }
    if (body.kind === "form" || body.kind === "multipart") {
      for (const { members } of body.choices) {
        for (const { field } of members) this.add(field, "parameter");
      }
    }
  }

  private addMessage(message: DescMessage, use: Use): void {
    const reached = this.reached.get(use) ?? new Set();
    this.reached.set(use, reached);
    if (reached.has(message) || message.file.proto.package === "google.protobuf") return;
    reached.add(message);
    for (const field of message.fields) this.addField(field, use);
  }

  private addField(field: DescField, use: Use): void {
    this.add(field, use);
    const isText = use === "parameter" && this.types.field(field).jsonText;
    if (isText) this.add(field, "json");
    const message = valueMessageOf(field);
    if (message !== undefined) this.addMessage(message, isText ? "json" : use);
  }

  private add(field: DescField, use: Use): void {
    const uses = this.uses.get(field) ?? new Set();
    this.uses.set(field, uses.add(use));
  }
}

function withImports(files: readonly DescFile[]): ReadonlySet<DescFile> {
  const found = new Set(files);
  for (const { dependencies } of found) {
    for (const file of dependencies) found.add(file);
  }
  return found;
}
