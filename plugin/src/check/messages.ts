/** Checks messages on their own, regardless of the methods that use them. */
import type { DescMessage } from "@bufbuild/protobuf";
import { RULES } from "../diagnostics/option-path.ts";
import { nameOf, type Problems } from "../diagnostics/problem.ts";
import { FieldRulesSchema } from "../gen/connectrest/v1/field_rules_pb.ts";
import type { TypeModels } from "../model/types.ts";
import { checkEnum } from "./enums.ts";
import { checkFieldReaders } from "./field-readers.ts";
import { checkField } from "./field-rules.ts";
import { checkAliases } from "./names.ts";
import { checkNearKeys } from "./near-keys.ts";
import { checkOneofs, checkResponseOneofs } from "./oneofs.ts";
import { checkTypeTexts } from "./rule-texts.ts";
import { checkTuple } from "./tuples.ts";

/** Reports faults in the rules of a message, its fields, oneofs and enums. */
export function checkMessage(message: DescMessage, types: TypeModels, problems: Problems): void {
  checkCollectors(message, types, problems);
  checkOneofs(message, types, problems);
  checkNearKeys(message, types, problems);
  checkAliases(message, types, problems);
  if (types.tuple(message)) checkTuple(message, types, problems);
  for (const oneof of message.oneofs) checkTypeTexts(oneof, types, problems);
  for (const field of message.fields) {
    checkTypeTexts(field, types, problems);
    checkField(field, types, problems);
    if ("enum" in field && field.enum !== undefined) checkEnum(field.enum, types, problems);
  }
}

/** Reports fields and oneofs that no response, or no complete response, can set. */
export function checkResponseMessage(message: DescMessage, types: TypeModels, problems: Problems): void {
  checkResponseOneofs(message, types, problems);
  checkFieldReaders(message, types, problems);
}

/** Reports a second field that collects unknown keys. */
function checkCollectors(message: DescMessage, types: TypeModels, problems: Problems): void {
  const [first, ...others] = message.fields.filter((field) => types.field(field).unknown);
  for (const field of others) {
    const text = `${nameOf(message)} already collects unknown keys in \`${first?.name}\``;
    problems.add(field, [RULES, FieldRulesSchema.field.unknown.number], "unknown-twice", text);
  }
}
