/** Finds examples of each rule of the annotation language in the repository's APIs. */
import { existsSync } from "node:fs";
import { join } from "node:path";
import {
  type AnyDesc,
  type DescExtension,
  type DescField,
  type DescFile,
  type FileRegistry,
  getOption,
  hasOption,
  isMessage,
  type Message,
} from "@bufbuild/protobuf";
import { nestedTypes, type ReflectMessage, reflect } from "@bufbuild/protobuf/reflect";
import { filesBelow } from "./schema.ts";

/** An element of an API that uses a rule. */
export interface Example {
  /** The name in its package, such as `BlogService.GetBlogInfo`. */
  readonly name: string;
  /** The path of the file from the repository's root. */
  readonly path: string;
}

/** Folders of .proto files with examples, in order of preference. */
const MODULES: readonly string[] = ["proto", "test/protos"];

/** Collects the first use of each field and each enum value of the rules, by full name. */
export function findExamples(schema: FileRegistry, root: string): ReadonlyMap<string, Example> {
  const examples = new Map<string, Example>();
  const extensions = filesBelow(schema, "connectrest/").flatMap((file) => file.extensions);
  for (const { file, path } of apiFiles(schema, root)) {
    for (const desc of elementsOf(file)) {
      const note = (used: string) => {
        if (!examples.has(used)) examples.set(used, { name: shortName(desc, file), path });
      };
      for (const extension of extensions) noteRules(desc, extension, note);
    }
  }
  return examples;
}

function apiFiles(schema: FileRegistry, root: string): Array<{ file: DescFile; path: string }> {
  const all = filesBelow(schema, "");
  return MODULES.flatMap((folder) =>
    all
      .map((file) => ({ file, path: `${folder}/${file.proto.name}` }))
      .filter(
        ({ file, path }) => !file.proto.name.startsWith("connectrest/") && existsSync(join(root, path)),
      ),
  );
}

type Element = Exclude<AnyDesc, { kind: "file" | "enum" | "extension" }>;

function elementsOf(file: DescFile): Element[] {
  return [...nestedTypes(file)].flatMap((type): Element[] => {
    if (type.kind === "service") return [type, ...type.methods];
    if (type.kind === "enum") return [...type.values];
    return type.kind === "message" ? [type, ...type.fields, ...type.oneofs] : [];
  });
}

function shortName(desc: Element, file: DescFile): string {
  const full = "typeName" in desc ? desc.typeName : `${desc.parent.typeName}.${desc.name}`;
  return full.slice(file.proto.package.length + 1);
}

/** Records each rule that an element sets. */
function noteRules(desc: Element, extension: DescExtension, note: (used: string) => void): void {
  if (extension.extendee.typeName !== EXTENDEES[desc.kind]) return;
  // The types cannot express that the extension extends the options of this kind of element.
  const [element, option] = [desc, extension] as unknown as Parameters<typeof getOption>;
  if (!hasOption(element, option)) return;
  const value: unknown = getOption(element, option);
  if (extension.message !== undefined && isMessage(value)) {
    noteFields(reflect(extension.message, value as Message), note);
  }
}

const EXTENDEES: Readonly<Record<Element["kind"], string>> = {
  service: "google.protobuf.ServiceOptions",
  rpc: "google.protobuf.MethodOptions",
  message: "google.protobuf.MessageOptions",
  field: "google.protobuf.FieldOptions",
  oneof: "google.protobuf.OneofOptions",
  enum_value: "google.protobuf.EnumValueOptions",
};

function noteFields(message: ReflectMessage, note: (used: string) => void): void {
  if (!message.desc.typeName.startsWith("connectrest.")) return;
  for (const field of message.fields.filter((each) => message.isSet(each))) {
    note(`${message.desc.typeName}.${field.name}`);
    for (const value of valuesOf(message, field)) {
      if (field.enum !== undefined) {
        const chosen = field.enum.value[Number(value)];
        if (chosen !== undefined) note(`${field.enum.typeName}.${chosen.name}`);
      } else if (isReflected(value)) {
        noteFields(value, note);
      }
    }
  }
}

function valuesOf(message: ReflectMessage, field: DescField): unknown[] {
  const value: unknown = message.get(field);
  return field.fieldKind === "list" ? [...(value as Iterable<unknown>)] : [value];
}

function isReflected(value: unknown): value is ReflectMessage {
  return typeof value === "object" && value !== null && "desc" in value && "isSet" in value;
}
