import type { DescField, DescMessage } from "@bufbuild/protobuf";
import { checkListedTwice, checkMessageListsTwice } from "../descriptors/listed-twice.ts";
import { messageOf, valueMessageOf } from "../descriptors/well-known.ts";
import { RULES } from "../diagnostics/option-path.ts";
import { nameOf, type Problem, Problems } from "../diagnostics/problem.ts";
import { FieldRulesSchema } from "../gen/connectrest/v1/field_rules_pb.ts";
import { parameterPaths } from "../model/body-fields.ts";
import type { MethodModel } from "../model/model.ts";
import { isTree, type TypeModels, unwrappedOneof } from "../model/types.ts";
import { checkCredentialFields } from "./credential-fields.ts";
import { checkHeads } from "./heads.ts";
import { checkIdleRules, checkIdleSharedRules } from "./idle-rules.ts";
import { checkMasks } from "./masks.ts";
import { checkMessage, checkResponseMessage } from "./messages.ts";
import { checkMethod } from "./method-rules.ts";
import { checkRequestNames } from "./names.ts";
import { checkIndexedNames } from "./near-keys.ts";
import { checkOperation } from "./operation.ts";
import { checkPlacesUsed } from "./places.ts";
import { checkSharedRules } from "./shared-rules.ts";
import { checkStreams } from "./streams.ts";
import { checkTupleRequest } from "./tuples.ts";
import { checkTypes } from "./types.ts";
import { checkUnwrappedRequest } from "./unwrapped.ts";

/** Checks methods and all messages that they read or write. Each message is checked once. */
export class Checker {
  private readonly types: TypeModels;
  private readonly messages = new Map<DescMessage, readonly Problem[]>();

  constructor(types: TypeModels) {
    this.types = types;
  }

  /** Returns the problems of a method and of its messages. */
  check(method: MethodModel): Problems {
    const problems = new Problems();
    checkSharedRules(method.desc.parent, method.serviceAnnotation, problems);
    checkSharedRules(method.desc, method.annotation, problems);
    checkMethod(method, problems);
    checkListedTwice(method.desc, listedTwice(problems));
    checkCredentialFields(method, this.types, problems);
    checkIdleSharedRules(method.desc.parent, method.serviceAnnotation, problems);
    checkIdleSharedRules(method.desc, method.annotation, problems);
    checkIdleRules(method, this.types, problems);
    checkStreams(method, this.types, problems);
    checkOperation(method, problems);
    checkTypes(method, this.types, problems);
    checkPlacesUsed(method, this.types, problems);
    checkRequestNames(method, this.types, problems);
    const inRequest = reach(method.desc.input);
    const inResponse = reach(method.desc.output);
    const reached = new Set([...inRequest, ...inResponse]);
    for (const message of reached) problems.addAll(this.messageProblems(message, method));
    checkMasks(method, reached, this.types, problems);
    const inParameters = new Set<DescMessage>();
    for (const path of method.bindings.flatMap(parameterPaths)) {
      const field = path.at(-1) as DescField;
      const message = valueMessageOf(field);
      if (message === undefined || !isTree(field, this.types)) continue;
      reach(message, (inner) => !this.types.field(inner).jsonText, inParameters);
    }
    checkUnwrappedRequest(method.desc, inParameters, this.types, problems);
    checkTupleRequest(method.desc, inParameters, this.types, problems);
    for (const message of inResponse) {
      checkResponseMessage(message, this.types, problems);
      if (!inRequest.has(message)) checkIndexedNames(message, this.types, problems);
    }
    checkHeads(method, inResponse, this.types, problems);
    reached.delete(method.desc.input);
    for (const message of reached) checkPlaces(message, method, this.types, problems);
    return problems;
  }

  private messageProblems(message: DescMessage, method: MethodModel): readonly Problem[] {
    const known = this.messages.get(message);
    if (known !== undefined) return known;
    const { types } = this;
    const problems = new Problems();
    checkMessage(message, types, problems);
    checkMessageListsTwice(message, listedTwice(problems));
    for (const field of message.fields) checkType(field, method, types, problems);
    const found = [...problems];
    this.messages.set(message, found);
    return found;
  }
}

function listedTwice(problems: Problems): Parameters<typeof checkListedTwice>[1] {
  return (desc, place, text) => problems.add(desc, [...place], "listed-twice", text);
}

/**
 * Returns a message and the messages that it contains, in all fields or in fields that `follow` accepts. Adds
 * them to `reached`.
 */
function reach(
  message: DescMessage,
  follow: (field: DescField) => boolean = () => true,
  reached = new Set<DescMessage>(),
): ReadonlySet<DescMessage> {
  if (reached.has(message) || message.file.proto.package === "google.protobuf") return reached;
  reached.add(message);
  for (const field of message.fields) {
    const inner = valueMessageOf(field);
    if (inner !== undefined && follow(field)) reach(inner, follow, reached);
  }
  return reached;
}

function checkType(field: DescField, method: MethodModel, types: TypeModels, problems: Problems): void {
  const isHttpBody = valueMessageOf(field)?.typeName === "google.api.HttpBody";
  const isPlaced =
    field === method.responseBody ||
    field.parent === method.desc.input ||
    types.field(field).place !== undefined;
  if (isHttpBody && !isPlaced) {
    const text = `${nameOf(field)} is a google.api.HttpBody within JSON; it can only be the whole body`;
    problems.add(field, [], "type-unsupported", text);
  }
  const message = valueMessageOf(field);
  if (message !== undefined && isDelimited(field) && !isWholeObject(field, message, types)) {
    const text = `${nameOf(field)} has the message encoding DELIMITED, but is not an object of fields in JSON; remove \`features.message_encoding\``;
    problems.add(field, [], "type-unsupported", text);
  }
}

function isDelimited(field: DescField): boolean {
  return "delimitedEncoding" in field && field.delimitedEncoding;
}

/** Reports whether the JSON of a message field is an object whose keys are the fields of the message. */
function isWholeObject(field: DescField, message: DescMessage, types: TypeModels): boolean {
  const isSpecial = message.file.proto.package === "google.protobuf" || types.field(field).unwrap;
  return !isSpecial && !types.tuple(message) && unwrappedOneof(message, types) === undefined;
}

/**
 * Reports nested fields with a place, since only the fields of the request message itself can have a place.
 */
function checkPlaces(message: DescMessage, method: MethodModel, types: TypeModels, problems: Problems): void {
  const members = method.desc.input.oneofs.flatMap((oneof) => oneof.fields).map((field) => messageOf(field));
  for (const field of message.fields) {
    const { place } = types.field(field);
    if (place === undefined || (place === "part" && members.includes(message))) continue;
    const text = `${nameOf(field)} has \`in\`, but ${message.typeName} is nested in a request or response; only fields of the request message itself can be placed`;
    problems.add(field, [RULES, FieldRulesSchema.field.in.number], "in-nested", text);
  }
}
