import type { DescField, DescMessage } from "@bufbuild/protobuf";
import { fieldRules, RULES } from "../descriptors/options.ts";
import { messageOf } from "../descriptors/well-known.ts";
import { nameOf, type Problem, Problems } from "../diagnostics/problem.ts";
import { FieldRules_Location as Location } from "../gen/connectrest/v1/field_rules_pb.ts";
import type { MethodModel } from "../model/model.ts";
import { checkPlacesUsed } from "./places.ts";
import { checkField, checkMethod, checkNames, checkOneof } from "./rules.ts";
import { checkTypes } from "./types.ts";

/** Checks methods, and every message that they read or write. A message is looked at once. */
export class Checker {
  private readonly messages = new Map<DescMessage, readonly Problem[]>();

  /** The problems of a method and of its messages. */
  check(method: MethodModel): Problems {
    const problems = new Problems();
    checkMethod(method, problems);
    checkTypes(method, problems);
    checkPlacesUsed(method, problems);
    const reached = new Set<DescMessage>();
    reach(method.desc.input, reached);
    reach(method.desc.output, reached);
    for (const message of reached) problems.addAll(this.messageProblems(message, method));
    reached.delete(method.desc.input);
    for (const message of reached) checkPlaces(message, method, problems);
    return problems;
  }

  private messageProblems(message: DescMessage, method: MethodModel): readonly Problem[] {
    const known = this.messages.get(message);
    if (known !== undefined) return known;
    const problems = new Problems();
    checkNames(message, problems);
    for (const oneof of message.oneofs) checkOneof(oneof, problems);
    for (const field of message.fields) {
      checkField(field, problems);
      checkType(field, method, problems);
    }
    const found = [...problems];
    this.messages.set(message, found);
    return found;
  }
}

/** The messages below one, and itself. */
function reach(message: DescMessage, reached: Set<DescMessage>): void {
  if (reached.has(message) || message.file.proto.package === "google.protobuf") return;
  reached.add(message);
  for (const field of message.fields) {
    const inner = innerMessage(field);
    if (inner !== undefined) reach(inner, reached);
  }
}

function innerMessage(field: DescField): DescMessage | undefined {
  return field.fieldKind === "map" ? mapMessage(field) : messageOf(field);
}

function mapMessage(field: DescField & { fieldKind: "map" }): DescMessage | undefined {
  return field.mapKind === "message" ? field.message : undefined;
}

function checkType(field: DescField, method: MethodModel, problems: Problems): void {
  const isHttpBody = innerMessage(field)?.typeName === "google.api.HttpBody";
  const isPlaced =
    field === method.responseBody || field.parent === method.desc.input || fieldRules(field).in !== 0;
  if (isHttpBody && !isPlaced) {
    const text = `${nameOf(field)} is a google.api.HttpBody inside of JSON; it can only be a whole body`;
    problems.add(field, [], "type-unsupported", text);
  }
}

/** Reports fields inside of other messages that have a place of their own, which only those of a request can have. */
function checkPlaces(message: DescMessage, method: MethodModel, problems: Problems): void {
  const members = method.desc.input.oneofs.flatMap((oneof) => oneof.fields).map((field) => messageOf(field));
  for (const field of message.fields) {
    const where = fieldRules(field).in;
    if (where === Location.LOCATION_UNSPECIFIED) continue;
    if (where === Location.PART && members.includes(message)) continue;
    const text = `${nameOf(field)} has a place, but ${message.typeName} is inside of a request or a response; only the fields of a request itself have places`;
    problems.add(field, [RULES, 1], "in-nested", text);
  }
}
