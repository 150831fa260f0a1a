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
import * as annotations from "connect-rest-runtime/gen/connectrest/v1/annotations_pb.js";
import { http } from "connect-rest-runtime/gen/google/api/annotations_pb.js";
import { expect, test } from "vitest";

/**
 * The folders of the APIs that tests call: `rules` tests one rule at a time, `world` tests the conventions of
 * whole APIs.
 */
const FOLDERS = ["rules", "world"] as const;

/** The generated descriptors of every .proto file in the folders. */
const FILES: readonly DescFile[] = await Promise.all(FOLDERS.flatMap(protosOf).map(loaded));

function protosOf(folder: string): string[] {
  const names = readdirSync(new URL(`../protos/${folder}/v1/`, import.meta.url)).sort();
  return names.map((name) => `${folder}/v1/${name.replace(/\.proto$/, "")}`);
}

async function loaded(path: string): Promise<DescFile> {
  const module = (await import(new URL(`../gen/${path}_pb.ts`, import.meta.url).href)) as Readonly<
    Record<string, DescFile>
  >;
  const file = module[`file_${path.replaceAll("/", "_")}`];
  if (file === undefined) throw new Error(`${path}_pb.ts describes no file`);
  return file;
}

/** A selector names a method in service configs; annotations ignore it. */
const NOT_SET: ReadonlySet<string> = new Set(["google.api.HttpRule.selector"]);

const EXTENSIONS: readonly DescExtension[] = [
  annotations.service,
  annotations.method,
  annotations.message,
  annotations.field,
  annotations.oneof,
  annotations.enum_value,
  http,
];

/** Returns the rules that the files set, as `package.Message.field` and `package.Enum.VALUE`. */
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

type Element = DescService | DescMethod | DescMessage | DescField | DescOneof | DescEnumValue;

function elementsOf(file: DescFile): Element[] {
  const messages = file.messages.flatMap(withNested);
  const enums = [...file.enums, ...messages.flatMap(({ nestedEnums }) => nestedEnums)];
  return [
    ...file.services,
    ...file.services.flatMap(({ methods }) => methods),
    ...messages,
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
      if (type !== undefined) {
        used.add(`${type.typeName}.${type.value[item as number]?.name}`);
      } else if ("message" in field && field.message !== undefined) note(item as ReflectMessage, used);
    }
  }
}

function nameOf(field: DescField): string {
  return `${field.parent.typeName}.${field.name}`;
}

/**
 * Returns all rules in a message type, in the same format. Zero enum values are excluded, because they equal
 * an unset rule.
 */
function rulesOf(message: DescMessage, all = new Set<string>(), seen = new Set<DescMessage>()): Set<string> {
  if (seen.has(message) || message.typeName.startsWith("google.protobuf.")) return all;
  seen.add(message);
  for (const field of message.fields) {
    all.add(nameOf(field));
    if ("message" in field && field.message !== undefined) rulesOf(field.message, all, seen);
    if (!("enum" in field) || field.enum === undefined || field.enum.typeName.startsWith("google.")) continue;
    for (const { number, name } of field.enum.values) {
      if (number !== 0) all.add(`${field.enum.typeName}.${name}`);
    }
  }
  return all;
}

test("every rule of the annotation language, and every value of its enums, is set in a tested file", () => {
  const all = new Set(
    EXTENSIONS.flatMap((extension) =>
      extension.fieldKind === "message" ? [...rulesOf(extension.message)] : [],
    ),
  );
  const used = rulesSet();
  expect(all.size).toBeGreaterThan(150);
  expect([...all].filter((rule) => !used.has(rule) && !NOT_SET.has(rule))).toEqual([]);
});

test("every method of the tested files is called by a test", () => {
  const tests = [...FOLDERS, "fidelity", "proto-json"]
    .map((name) => new URL(`../${name}/`, import.meta.url))
    .flatMap((folder) => readdirSync(folder).map((name) => new URL(name, folder)))
    .filter(({ pathname }) => pathname.endsWith(".test.ts"))
    .map((file) => readFileSync(file, "utf8"))
    .join("\n");
  const methods = FILES.flatMap(({ services }) => services.flatMap((service) => service.methods));
  const idle = methods.filter(
    ({ localName, name }) =>
      !tests.includes(`.${localName}(`) && !tests.includes(`"${localName}"`) && !tests.includes(`"${name}"`),
  );
  expect(idle.map(String)).toEqual([]);
});
