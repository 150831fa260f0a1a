import { readdirSync, readFileSync } from "node:fs";
import {
  type DescEnum,
  type DescEnumValue,
  type DescExtension,
  type DescField,
  type DescFile,
  type DescMessage,
  type DescMethod,
  type DescOneof,
  type DescService,
  getExtension,
  hasExtension,
  type Message,
} from "@bufbuild/protobuf";
import { type ReflectMessage, reflect } from "@bufbuild/protobuf/reflect";
import { expect, test } from "vitest";
import * as annotations from "../gen/connectrest/v1/annotations_pb.ts";
import { http } from "../gen/google/api/annotations_pb.ts";
import { file_rules_v1_answers } from "../gen/rules/v1/answers_pb.ts";
import { file_rules_v1_bodies } from "../gen/rules/v1/bodies_pb.ts";
import { file_rules_v1_choices } from "../gen/rules/v1/choices_pb.ts";
import { file_rules_v1_credentials } from "../gen/rules/v1/credentials_pb.ts";
import { file_rules_v1_edition } from "../gen/rules/v1/edition_pb.ts";
import { file_rules_v1_errors } from "../gen/rules/v1/errors_pb.ts";
import { file_rules_v1_http } from "../gen/rules/v1/http_pb.ts";
import { file_rules_v1_limits } from "../gen/rules/v1/limits_pb.ts";
import { file_rules_v1_old } from "../gen/rules/v1/old_pb.ts";
import { file_rules_v1_places } from "../gen/rules/v1/places_pb.ts";
import { file_rules_v1_streams } from "../gen/rules/v1/streams_pb.ts";

const FILES: readonly DescFile[] = [
  file_rules_v1_answers,
  file_rules_v1_bodies,
  file_rules_v1_choices,
  file_rules_v1_credentials,
  file_rules_v1_edition,
  file_rules_v1_errors,
  file_rules_v1_http,
  file_rules_v1_limits,
  file_rules_v1_old,
  file_rules_v1_places,
  file_rules_v1_streams,
];

/** A selector names a method of a service config; in annotations it is not looked at. */
const NOT_SET: ReadonlySet<string> = new Set(["google.api.HttpRule.selector"]);

const EXTENSIONS: readonly DescExtension[] = [
  annotations.service,
  annotations.method,
  annotations.field,
  annotations.oneof,
  annotations.enum_value,
  http,
];

/** The rules that are set in the files, as `package.Message.field` and `package.Enum.VALUE`. */
function rulesSet(): Set<string> {
  const used = new Set<string>();
  for (const element of FILES.flatMap(elementsOf)) {
    const { options } = element.proto;
    if (options === undefined) continue;
    for (const extension of EXTENSIONS) {
      if (extension.extendee.typeName !== options.$typeName || !hasExtension(options, extension)) continue;
      const value: unknown = getExtension(options, extension);
      if (extension.fieldKind === "message") note(reflect(extension.message, value as Message), used);
    }
  }
  return used;
}

type Element = DescService | DescMethod | DescField | DescOneof | DescEnumValue;

function elementsOf(file: DescFile): Element[] {
  const messages = file.messages.flatMap(withNested);
  const enums = [...file.enums, ...messages.flatMap(({ nestedEnums }) => nestedEnums)];
  return [
    ...file.services,
    ...file.services.flatMap(({ methods }) => methods),
    ...messages.flatMap(({ fields }) => fields),
    ...messages.flatMap(({ oneofs }) => oneofs),
    ...enums.flatMap(({ values }) => values),
  ];
}

function withNested(message: DescMessage): DescMessage[] {
  return [message, ...message.nestedMessages.flatMap(withNested)];
}

function note(message: ReflectMessage, used: Set<string>): void {
  for (const field of message.fields) {
    if (!message.isSet(field)) continue;
    used.add(nameOf(field));
    const value: unknown = message.get(field);
    for (const item of field.fieldKind === "list" ? (value as Iterable<unknown>) : [value]) {
      const { enum: type } = field as { readonly enum?: DescEnum };
      if (type !== undefined) used.add(`${type.typeName}.${type.value[item as number]?.name}`);
      else if ("message" in field && field.message !== undefined) note(item as ReflectMessage, used);
    }
  }
}

function nameOf(field: DescField): string {
  return `${field.parent.typeName}.${field.name}`;
}

/** All rules there are below a message, as above. Zero values of enums say the same as nothing. */
function rulesOf(message: DescMessage, all = new Set<string>(), seen = new Set<DescMessage>()): Set<string> {
  if (seen.has(message) || message.typeName.startsWith("google.protobuf.")) return all;
  seen.add(message);
  for (const field of message.fields) {
    all.add(nameOf(field));
    if ("message" in field && field.message !== undefined) rulesOf(field.message, all, seen);
    if (!("enum" in field) || field.enum === undefined || field.enum.typeName.startsWith("google.")) continue;
    for (const { number, name } of field.enum.values)
      if (number !== 0) all.add(`${field.enum.typeName}.${name}`);
  }
  return all;
}

test("every rule of the language, and every value of its enums, is set in a file here", () => {
  const all = new Set(
    EXTENSIONS.flatMap((extension) =>
      extension.fieldKind === "message" ? [...rulesOf(extension.message)] : [],
    ),
  );
  const used = rulesSet();
  expect(all.size).toBeGreaterThan(150);
  expect([...all].filter((rule) => !used.has(rule) && !NOT_SET.has(rule))).toEqual([]);
});

test("every file here is looked at", () => {
  const protos = readdirSync(new URL("../protos/rules/v1/", import.meta.url)).sort();
  expect(FILES.map(({ name }) => `${name.slice("rules/v1/".length)}.proto`).sort()).toEqual(protos);
});

test("every method here is called by a test", () => {
  const folder = new URL("./", import.meta.url);
  const tests = readdirSync(folder)
    .filter((name) => name.endsWith(".test.ts"))
    .map((name) => readFileSync(new URL(name, folder), "utf8"))
    .join("\n");
  const methods = FILES.flatMap(({ services }) => services.flatMap((service) => service.methods));
  const idle = methods.filter(
    ({ localName }) => !tests.includes(`.${localName}(`) && !tests.includes(`"${localName}"`),
  );
  expect(idle.map(String)).toEqual([]);
});
