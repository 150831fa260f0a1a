/** Finds keys in the rules of a message that resemble a key of another field. */
import type { DescField, DescMessage, DescOneof } from "@bufbuild/protobuf";
import { messageOf } from "../descriptors/well-known.ts";
import { RULES } from "../diagnostics/option-path.ts";
import { nameOf, type Problems } from "../diagnostics/problem.ts";
import { closest } from "../diagnostics/suggest.ts";
import {
  FieldRulesSchema,
  OneofRulesSchema,
  SourceSchema,
  WhenSchema,
} from "../gen/connectrest/v1/field_rules_pb.ts";
import { declaredKeys, firstKeysOf } from "../model/declared-keys.ts";
import { stepsOf } from "../model/dotted-path.ts";
import type { TypeModels } from "../model/types.ts";
import { spellings } from "../model/wire-names.ts";
import { indexInKey } from "./syntax.ts";

const { field: RULE } = FieldRulesSchema;
const { field: ONEOF } = OneofRulesSchema;

/** Reports discriminators, conditions and sources that resemble a declared key. */
export function checkNearKeys(message: DescMessage, types: TypeModels, problems: Problems): void {
  for (const oneof of message.oneofs) {
    checkDiscriminator(oneof, types, problems);
    for (const field of oneof.fields) checkConditions(field, oneof, types, problems);
  }
  for (const field of message.fields) checkSources(field, types, problems);
}

function checkDiscriminator(oneof: DescOneof, types: TypeModels, problems: Problems): void {
  const { discriminator, payload } = types.oneof(oneof);
  const add = (place: number, code: string, text: string) => problems.add(oneof, [RULES, place], code, text);
  for (const [name, key] of Object.entries({ discriminator, payload })) {
    const path = indexInKey(key);
    if (path === undefined) continue;
    const text = `${name} of the oneof ${nameOf(oneof)}: \`${key}\` is a key, and no path: it reads no item of a list; use conditions: \`when: {key: "${path}"}\``;
    add(ONEOF[name as "discriminator" | "payload"].number, "key-index", text);
  }
  const beside = oneof.parent.fields.filter((field) => field.oneof !== oneof);
  const near = discriminator === "" ? undefined : closestOf(discriminator, keysOf(beside, types));
  if (near === undefined) return;
  const text = `discriminator of the oneof ${nameOf(oneof)}: no field of ${oneof.parent.typeName} reads \`${discriminator}\`; did you mean \`${near}\`? If the upstream has both keys, declare a field for \`${discriminator}\` too`;
  add(ONEOF.discriminator.number, "undeclared-key", text);
}

function checkConditions(field: DescField, oneof: DescOneof, types: TypeModels, problems: Problems): void {
  const { discriminator } = types.oneof(oneof);
  const members = oneof.fields.flatMap((each) => {
    const message = messageOf(each);
    return message === undefined ? [] : (declaredKeys(message, types) ?? []);
  });
  const keys = [...keysOf(oneof.parent.fields, types), ...members, ...spellings(discriminator)];
  types.field(field).conditions.forEach(({ key }, index) => {
    const near = nearFirst(key, keys);
    if (near === undefined) return;
    const place = [RULES, RULE.when.number, index, WhenSchema.field.key.number];
    problems.add(field, place, "undeclared-key", textOf(`the condition of ${nameOf(field)}`, key, near));
  });
}

function checkSources(field: DescField, types: TypeModels, problems: Problems): void {
  const others = field.parent.fields.filter((other) => other !== field);
  types.field(field).sources.forEach((source, index) => {
    const near = source.kind === "path" ? nearFirst(source.path, keysOf(others, types)) : undefined;
    if (source.kind !== "path" || near === undefined) return;
    const place = [RULES, RULE.from.number, index, SourceSchema.field.path.number];
    problems.add(field, place, "undeclared-key", textOf(`a source of ${nameOf(field)}`, source.path, near));
  });
}

function keysOf(fields: readonly DescField[], types: TypeModels): readonly string[] {
  return fields.flatMap((field) => firstKeysOf(field, types));
}

/** Returns the declared key that the first key of a path resembles; undefined if the first key is quoted. */
function nearFirst(path: string, keys: readonly string[]): string | undefined {
  const [first] = stepsOf(path);
  return first === undefined || first.quoted ? undefined : closestOf(first.name, keys);
}

/** Returns the closest key. Keys may be written in snake_case or lowerCamel. */
function closestOf(key: string, keys: readonly string[]): string | undefined {
  return spellings(key).some((each) => keys.includes(each)) ? undefined : closest(key, keys);
}

function textOf(subject: string, path: string, near: string): string {
  const [first] = stepsOf(path);
  return `${subject}: no other field reads \`${first?.name}\` in \`${path}\`; did you mean \`${near}\`? If the upstream has such a key, write it in quotes: \`'${first?.name}'\``;
}

/** Reports names of response fields that resemble a path with an index. */
export function checkIndexedNames(message: DescMessage, types: TypeModels, problems: Problems): void {
  for (const field of message.fields) {
    const { name, aliases, sources } = types.field(field);
    if (sources.length > 0) continue;
    const add = (key: string, ...place: readonly number[]) => {
      const path = indexInKey(key);
      if (path === undefined) return;
      const text = `${nameOf(field)}: \`${key}\` is a key, and no path: it reads no item of a list; write from: {path: "${path}"}`;
      problems.add(field, [RULES, ...place], "key-index", text);
    };
    add(name, RULE.name.number);
    aliases.forEach((alias, index) => {
      add(alias, RULE.aliases.number, index);
    });
  }
}
