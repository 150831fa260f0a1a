/** Prints the reference of the annotation language from its .proto files. */
import { readFileSync } from "node:fs";
import type { DescEnum, DescField, DescFile, DescMessage } from "@bufbuild/protobuf";
import { nestedTypes } from "@bufbuild/protobuf/reflect";
import { commentOf } from "../../plugin/src/descriptors/comments.ts";
import { type Example, findExamples } from "./examples.ts";
import { anchor, code, page, table } from "./markdown.ts";
import { filesBelow, loadSchema } from "./schema.ts";

const HEAD = new URL("annotations-head.md", import.meta.url);
/** Names of scalar types, by the number of the type in descriptors. */
export const SCALARS = [
  ...["", "double", "float", "int64", "uint64", "int32", "fixed64", "fixed32", "bool", "string", "group"],
  ...["message", "bytes", "uint32", "enum", "sfixed32", "sfixed64", "sint32", "sint64"],
];

/** Returns the page `docs/annotations.md`. */
export function annotationsPage(root: string): string {
  const schema = loadSchema(root);
  const reference = new Reference(filesBelow(schema, "connectrest/v1/"), findExamples(schema, root));
  return page(readFileSync(HEAD, "utf8"), ...reference.blocks());
}

type Type = DescMessage | DescEnum;

class Reference {
  private readonly files: readonly DescFile[];
  private readonly examples: ReadonlyMap<string, Example>;
  /** All messages and enums of the language, by their names in the package. */
  private readonly types: ReadonlyMap<string, Type>;

  constructor(files: readonly DescFile[], examples: ReadonlyMap<string, Example>) {
    this.files = files;
    this.examples = examples;
    const all = files.flatMap((file) => [...nestedTypes(file)]);
    const types = all.filter((type): type is Type => type.kind === "message" || type.kind === "enum");
    this.types = new Map(types.map((type) => [shortName(type), type]));
  }

  blocks(): string[] {
    const roots = this.extensions().flatMap(({ message }) => message ?? []);
    const order = new Set<Type>();
    for (const message of roots) order.add(message);
    for (const message of roots) this.reach(message, order);
    for (const type of this.types.values()) order.add(type);
    return [this.optionTable(), ...[...order].flatMap((type) => this.section(type))];
  }

  private extensions() {
    return this.files.flatMap((file) => file.extensions);
  }

  private optionTable(): string {
    const rows = this.extensions().map((extension) => [
      EXTENDED[extension.extendee.name] ?? extension.extendee.name,
      code(`(${extension.typeName})`),
      extension.message === undefined ? "" : this.link(extension.message),
      this.prose(commentOf(extension)),
    ]);
    return table(["On a", "Option", "Rules", ""], rows);
  }

  /** Adds the types that a message uses. Each type is added before the types that it uses. */
  private reach(message: DescMessage, order: Set<Type>): void {
    for (const field of message.fields) {
      const type = typeOf(field);
      if (type === undefined || order.has(type) || !this.types.has(shortName(type))) continue;
      order.add(type);
      if (type.kind === "message") this.reach(type, order);
    }
  }

  private section(type: Type): string[] {
    const heading = `## ${shortName(type)}`;
    const { text, source } = splitExample(commentOf(type));
    const intro = [heading, this.prose(text), ...fence(source)];
    if (type.kind === "enum") return [...intro, this.valueTable(type)];
    // A message that only contains an enum has no section.
    if (type.fields.length === 0) return [];
    return [...intro, this.fieldTable(type), ...this.oneofLines(type), ...fieldExamples(type)];
  }

  private oneofLines(message: DescMessage): string[] {
    return message.oneofs
      .filter((oneof) => oneof.fields.length > 1)
      .map((oneof) => `${code(oneof.name)}: ${this.prose(commentOf(oneof))}`);
  }

  private fieldTable(message: DescMessage): string {
    const rows = message.fields.map((field) => {
      const { meaning, initial } = splitDefault(splitExample(commentOf(field)).text);
      const oneof = field.oneof === undefined ? "" : ` in the oneof ${code(field.oneof.name)}`;
      return [
        code(field.name),
        `${this.typeText(field)}${oneof}`,
        this.prose(initial ?? impliedDefault(field)),
        this.prose(meaning),
        this.example(`${message.typeName}.${field.name}`),
      ];
    });
    return table(["Field", "Type", "Default", "Meaning", "Used by"], rows);
  }

  private valueTable(type: DescEnum): string {
    const rows = type.values.map((value) => [
      code(value.name),
      this.prose(commentOf(value)),
      this.example(`${type.typeName}.${value.name}`),
    ]);
    return table(["Value", "Meaning", "Used by"], rows);
  }

  private example(used: string): string {
    const example = this.examples.get(used);
    return example === undefined ? "" : `[${code(example.name)}](../${example.path})`;
  }

  private typeText(field: DescField): string {
    const type = typeOf(field);
    const text =
      type === undefined
        ? code(SCALARS[field.proto.type] ?? "")
        : this.types.has(shortName(type))
          ? this.link(type)
          : code(type.typeName);
    return field.fieldKind === "list" ? `list of ${text}` : text;
  }

  private link(type: Type): string {
    return `[${shortName(type)}](#${anchor(shortName(type))})`;
  }

  /** Returns a comment on one line, in which names of messages are links. */
  private prose(comment: string): string {
    return (
      comment
        .split("\n\n")
        .map((paragraph) => paragraph.replaceAll("\n", " "))
        .join("\n\n")
        // Names of a single word, such as Header, also occur as ordinary words.
        .replaceAll(/`[^`]*`|\b(?:[A-Z][a-z]+){2,}\b/g, (word) => {
          const type = this.types.get(word);
          return type === undefined || type.kind === "enum" ? word : this.link(type);
        })
    );
  }
}

const EXTENDED: Readonly<Record<string, string>> = {
  ServiceOptions: "service",
  MethodOptions: "method",
  MessageOptions: "message",
  FieldOptions: "field",
  OneofOptions: "oneof",
  EnumValueOptions: "enum value",
};

function typeOf(field: DescField): Type | undefined {
  return field.message ?? field.enum;
}

/** Returns the name of a type in the package; a nested type has its parent's name in front. */
function shortName(type: Type): string {
  return type.typeName.slice(type.file.proto.package.length + 1);
}

/** Returns the examples of the fields in one block. */
function fieldExamples(message: DescMessage): string[] {
  const sources = message.fields.map((field) => splitExample(commentOf(field)).source);
  const examples = sources.filter((source) => source !== "");
  if (examples.length === 0) return [];
  return [examples.length === 1 ? "Example:" : "Examples:", ...fence(examples.join("\n\n"))];
}

/** Splits off the example at the end of a comment: indented lines after an empty line. */
function splitExample(comment: string): { text: string; source: string } {
  const [, before = "", example = "", after = ""] =
    /^(.*?)\n\n((?: {4}[^\n]*\n)+)(.*)$/s.exec(`${comment}\n`) ?? [];
  if (example === "") return { text: comment, source: "" };
  return { text: `${before}\n${after}`.trim(), source: example.replaceAll(/^ {4}/gm, "").trimEnd() };
}

function fence(source: string): string[] {
  return source === "" ? [] : [`\`\`\`proto\n${source}\n\`\`\``];
}

/** Splits off the default, which is the last sentence of a comment: `Default: …`. */
function splitDefault(comment: string): { meaning: string; initial?: string } {
  const [, meaning, initial] = /^(.*?)\s*\bDefault:\s+(.*)$/s.exec(comment) ?? [];
  if (meaning === undefined || initial === undefined) return { meaning: comment };
  return { meaning, initial: initial.replace(/\.$/, "") };
}

function impliedDefault(field: DescField): string {
  if (field.fieldKind === "list") return "none";
  if (field.oneof !== undefined || field.proto.proto3Optional) return "";
  return field.fieldKind === "scalar" && SCALARS[field.proto.type] === "bool" ? "false" : "";
}
