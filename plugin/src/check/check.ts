import type { DescField, DescMessage } from "@bufbuild/protobuf";
import { messageOf } from "../descriptors/well-known.ts";
import { nameOf, type Problems } from "../diagnostics/problem.ts";
import type { FileModel } from "../model/model.ts";
import { checkFieldImplemented, checkMethodImplemented } from "./implemented.ts";
import { checkField, checkMethod, checkNames, checkOneof } from "./rules.ts";

/** Checks the methods of the models, and every message that they read or write. */
export function check(models: readonly FileModel[], problems: Problems): void {
  const seen = new Set<DescMessage>();
  for (const method of models.flatMap((model) => model.services).flatMap((service) => service.methods)) {
    checkMethodImplemented(method, problems);
    checkMethod(method, problems);
    checkMessage(method.desc.input, seen, problems);
    checkMessage(method.desc.output, seen, problems);
  }
}

function checkMessage(message: DescMessage, seen: Set<DescMessage>, problems: Problems): void {
  if (seen.has(message) || message.file.proto.package === "google.protobuf") return;
  seen.add(message);
  checkNames(message, problems);
  for (const oneof of message.oneofs) checkOneof(oneof, problems);
  for (const field of message.fields) {
    checkFieldImplemented(field, problems);
    checkField(field, problems);
    checkType(field, problems);
    const inner = field.fieldKind === "map" ? mapMessage(field) : messageOf(field);
    if (inner !== undefined) checkMessage(inner, seen, problems);
  }
}

function mapMessage(field: DescField & { fieldKind: "map" }): DescMessage | undefined {
  return field.mapKind === "message" ? field.message : undefined;
}

function checkType(field: DescField, problems: Problems): void {
  const message = field.fieldKind === "map" ? mapMessage(field) : messageOf(field);
  if (message?.typeName === "google.protobuf.Any" || message?.typeName === "google.api.HttpBody") {
    problems.add(
      field,
      [],
      "not-implemented",
      `the type ${message.typeName} of ${nameOf(field)} is not implemented`,
    );
  }
  if ("delimitedEncoding" in field && field.delimitedEncoding) {
    problems.add(field, [], "not-implemented", `the group encoding of ${nameOf(field)} is not implemented`);
  }
}
