import {
  createRegistry,
  type DescFile,
  type DescMessage,
  getExtension,
  type Message,
} from "@bufbuild/protobuf";
import { reflect } from "@bufbuild/protobuf/reflect";
import { toText } from "@bufbuild/protobuf/txtpb";
import {
  type DescriptorProto,
  type EnumDescriptorProto,
  EnumOptionsSchema,
  EnumValueOptionsSchema,
  type FieldDescriptorProto,
  FieldDescriptorProto_Label,
  FieldDescriptorProto_Type,
  FieldOptionsSchema,
  FileOptionsSchema,
  MessageOptionsSchema,
  OneofOptionsSchema,
} from "@bufbuild/protobuf/wkt";

const SCALARS: Readonly<Partial<Record<FieldDescriptorProto_Type, string>>> = {
  [FieldDescriptorProto_Type.DOUBLE]: "double",
  [FieldDescriptorProto_Type.FLOAT]: "float",
  [FieldDescriptorProto_Type.INT64]: "int64",
  [FieldDescriptorProto_Type.UINT64]: "uint64",
  [FieldDescriptorProto_Type.INT32]: "int32",
  [FieldDescriptorProto_Type.FIXED64]: "fixed64",
  [FieldDescriptorProto_Type.FIXED32]: "fixed32",
  [FieldDescriptorProto_Type.BOOL]: "bool",
  [FieldDescriptorProto_Type.STRING]: "string",
  [FieldDescriptorProto_Type.BYTES]: "bytes",
  [FieldDescriptorProto_Type.UINT32]: "uint32",
  [FieldDescriptorProto_Type.SFIXED32]: "sfixed32",
  [FieldDescriptorProto_Type.SFIXED64]: "sfixed64",
  [FieldDescriptorProto_Type.SINT32]: "sint32",
  [FieldDescriptorProto_Type.SINT64]: "sint64",
};

const MAX_FIELD_END = 536_870_912;
const MAX_ENUM_NUMBER = 2_147_483_647;

/**
 * Prints a compilable `.proto` source from a file's descriptor: proto2 and proto3, with options and
 * extensions. The source has no comments, because descriptors in generated code contain none. The printed
 * file compiles to the same descriptor. Groups, services and editions do not occur in the printed files, and
 * are rejected.
 */
export function printProto(file: DescFile): string {
  return new Printer(file).print();
}

class Printer {
  private readonly lines: string[] = [];
  private readonly registry: ReturnType<typeof createRegistry>;
  private readonly proto3: boolean;
  private readonly file: DescFile;

  constructor(file: DescFile) {
    this.file = file;
    this.registry = createRegistry(file);
    this.proto3 = file.proto.syntax === "proto3";
    if (file.proto.syntax === "editions") {
      throw new Error(`${file.name}.proto uses editions, which are not printed`);
    }
    if (file.proto.service.length > 0) {
      throw new Error(`${file.name}.proto has services, which are not printed`);
    }
  }

  print(): string {
    const proto = this.file.proto;
    this.line(0, `syntax = "${proto.syntax || "proto2"}";`);
    if (proto.package !== "") this.line(0, `package ${proto.package};`);
    proto.dependency.forEach((name, index) => {
      this.line(0, `import ${proto.publicDependency.includes(index) ? "public " : ""}"${name}";`);
    });
    for (const option of this.options(FileOptionsSchema, proto.options)) this.line(0, `option ${option};`);
    this.extensions(0, proto.extension);
    for (const enumeration of proto.enumType) this.enum(0, enumeration);
    for (const message of proto.messageType) this.message(0, message);
    return `${this.lines.join("\n")}\n`;
  }

  private line(depth: number, text: string): void {
    this.lines.push("  ".repeat(depth) + text);
  }

  private message(depth: number, message: DescriptorProto): void {
    this.line(depth, `message ${message.name} {`);
    for (const option of this.options(MessageOptionsSchema, message.options)) {
      this.line(depth + 1, `option ${option};`);
    }
    for (const nested of message.nestedType) {
      if (nested.options?.mapEntry !== true) this.message(depth + 1, nested);
    }
    for (const nested of message.enumType) this.enum(depth + 1, nested);
    this.fields(depth + 1, message);
    this.range(depth + 1, "extensions", message.extensionRange, MAX_FIELD_END, 1);
    this.range(depth + 1, "reserved", message.reservedRange, MAX_FIELD_END, 1);
    this.reservedNames(depth + 1, message.reservedName);
    this.extensions(depth + 1, message.extension);
    this.line(depth, "}");
  }

  private fields(depth: number, message: DescriptorProto): void {
    const printed = new Set<number>();
    for (const field of message.field) {
      const oneof = inOneof(field) ? field.oneofIndex : undefined;
      if (oneof === undefined) {
        this.field(depth, field, message);
      } else if (!printed.has(oneof)) {
        printed.add(oneof);
        this.oneof(depth, oneof, message);
      }
    }
  }

  private oneof(depth: number, index: number, message: DescriptorProto): void {
    const oneof = message.oneofDecl[index];
    this.line(depth, `oneof ${oneof?.name} {`);
    for (const option of this.options(OneofOptionsSchema, oneof?.options)) {
      this.line(depth + 1, `option ${option};`);
    }
    for (const field of message.field) {
      if (inOneof(field) && field.oneofIndex === index) this.field(depth + 1, field, message);
    }
    this.line(depth, "}");
  }

  private field(depth: number, field: FieldDescriptorProto, message: DescriptorProto | undefined): void {
    const entry = message?.nestedType.find(
      (nested) =>
        nested.options?.mapEntry === true && field.typeName.endsWith(`.${message.name}.${nested.name}`),
    );
    const type = entry === undefined ? typeName(field) : mapType(entry);
    const options = this.fieldOptions(field);
    const suffix = options.length > 0 ? ` [${options.join(", ")}]` : "";
    const label = entry === undefined ? this.label(field) : "";
    this.line(depth, `${label}${type} ${field.name} = ${field.number}${suffix};`);
  }

  private label(field: FieldDescriptorProto): string {
    if (field.label === FieldDescriptorProto_Label.REPEATED) return "repeated ";
    if (inOneof(field)) return "";
    if (this.proto3) return field.proto3Optional ? "optional " : "";
    return field.label === FieldDescriptorProto_Label.REQUIRED ? "required " : "optional ";
  }

  private fieldOptions(field: FieldDescriptorProto): string[] {
    const options = this.options(FieldOptionsSchema, field.options);
    if (field.jsonName !== "" && field.jsonName !== lowerCamel(field.name)) {
      options.unshift(`json_name = ${JSON.stringify(field.jsonName)}`);
    }
    if (field.defaultValue !== "") {
      const quoted =
        field.type === FieldDescriptorProto_Type.STRING || field.type === FieldDescriptorProto_Type.BYTES;
      options.unshift(`default = ${quoted ? JSON.stringify(field.defaultValue) : field.defaultValue}`);
    }
    return options;
  }

  private enum(depth: number, enumeration: EnumDescriptorProto): void {
    this.line(depth, `enum ${enumeration.name} {`);
    for (const option of this.options(EnumOptionsSchema, enumeration.options)) {
      this.line(depth + 1, `option ${option};`);
    }
    for (const value of enumeration.value) {
      const options = this.options(EnumValueOptionsSchema, value.options);
      const suffix = options.length > 0 ? ` [${options.join(", ")}]` : "";
      this.line(depth + 1, `${value.name} = ${value.number}${suffix};`);
    }
    this.range(depth + 1, "reserved", enumeration.reservedRange, MAX_ENUM_NUMBER, 0);
    this.reservedNames(depth + 1, enumeration.reservedName);
    this.line(depth, "}");
  }

  private extensions(depth: number, extensions: readonly FieldDescriptorProto[]): void {
    for (const extension of extensions) {
      this.line(depth, `extend ${extension.extendee} {`);
      this.field(depth + 1, extension, undefined);
      this.line(depth, "}");
    }
  }

  /**
   * Prints ranges. `open` is 1 if the end is exclusive in the descriptor (messages), and 0 if it is inclusive
   * (enums).
   */
  private range(
    depth: number,
    keyword: string,
    ranges: ReadonlyArray<{ readonly start: number; readonly end: number }>,
    max: number,
    open: 0 | 1,
  ): void {
    if (ranges.length === 0) return;
    const texts = ranges.map(({ start, end }) => {
      const last = end - open;
      if (last === start) return String(start);
      return `${start} to ${end >= max ? "max" : last}`;
    });
    this.line(depth, `${keyword} ${texts.join(", ")};`);
  }

  private reservedNames(depth: number, names: readonly string[]): void {
    if (names.length > 0) {
      this.line(depth, `reserved ${names.map((name) => JSON.stringify(name)).join(", ")};`);
    }
  }

  private options(schema: DescMessage, options: Message | undefined): string[] {
    if (options === undefined) return [];
    return [...this.knownOptions(schema, options), ...this.extensionOptions(schema, options)];
  }

  private knownOptions(schema: DescMessage, options: Message): string[] {
    const printed: string[] = [];
    const reflected = reflect(schema, options);
    for (const field of reflected.fields) {
      if (!reflected.isSet(field)) continue;
      const value: unknown = reflected.get(field);
      if (field.fieldKind === "scalar") {
        printed.push(`${field.name} = ${typeof value === "string" ? JSON.stringify(value) : String(value)}`);
      } else if (field.fieldKind === "enum") {
        printed.push(`${field.name} = ${field.enum.value[Number(value)]?.name}`);
      } else {
        throw new Error(`option ${schema.typeName}.${field.name} in ${this.file.name}.proto is not printed`);
      }
    }
    return printed;
  }

  private extensionOptions(schema: DescMessage, options: Message): string[] {
    const numbers = new Set((options.$unknown ?? []).map((unknown) => unknown.no));
    return [...numbers].map((number) => {
      const extension = this.registry.getExtensionFor(schema, number);
      if (extension === undefined) {
        throw new Error(
          `option ${number} of ${schema.typeName} in ${this.file.name}.proto has no known extension`,
        );
      }
      const value: unknown = getExtension(options, extension);
      const text =
        extension.message === undefined
          ? String(value)
          : `{\n${toText(extension.message, value as Message, { registry: this.registry })}}`;
      return `(${extension.typeName}) = ${text}`;
    });
  }
}

/**
 * Reports whether a field is in a oneof of the source. proto3 adds a synthetic oneof for each `optional`
 * field.
 */
function inOneof(field: FieldDescriptorProto): boolean {
  return Object.hasOwn(field, "oneofIndex") && !field.proto3Optional;
}

function typeName(field: FieldDescriptorProto): string {
  const name = field.typeName !== "" ? field.typeName : SCALARS[field.type];
  if (name === undefined) throw new Error(`field ${field.name} has type ${field.type}, which is not printed`);
  return name;
}

function mapType(entry: DescriptorProto): string {
  const [key, value] = entry.field;
  if (key === undefined || value === undefined) throw new Error(`map entry ${entry.name} is incomplete`);
  return `map<${typeName(key)}, ${typeName(value)}>`;
}

function lowerCamel(name: string): string {
  return name.replace(/_([a-z0-9])/gi, (_, letter: string) => letter.toUpperCase());
}
