import type { Enum, Field, FieldType, File, Message, Method, Option, Service } from "../proto/model.ts";
import { commentLines } from "./comment.ts";
import { printValue, quote, shortened } from "./options.ts";

/** Prints a `.proto` file in the format of `buf format`. */
export function printFile(file: File): string {
  const blocks = [
    ...file.services.map(printService),
    ...file.messages.map((message) => printMessage(message, "")),
    ...file.enums.map((enumeration) => printEnum(enumeration, "")),
  ];
  const head = [
    ...commentLines(file.comment, ""),
    ...(file.comment === "" ? [] : [""]),
    `syntax = "proto3";`,
    "",
    `package ${file.package};`,
    ...(file.imports.length === 0 ? [] : [""]),
    ...[...file.imports].sort().map((path) => `import ${quote(path)};`),
  ];
  return `${[head, ...blocks].map((lines) => lines.join("\n")).join("\n\n")}\n`;
}

function printService(service: Service): string[] {
  const options = service.options.map((option) => `  ${printOption(option, "  ")}`);
  const methods = service.methods.map(printMethod);
  const blocks = [...(options.length === 0 ? [] : [options]), ...methods];
  return [...commentLines(service.comment, ""), `service ${service.name} {`, ...spaced(blocks), "}"];
}

function printMethod(method: Method): string[] {
  const output = `${method.serverStreaming ? "stream " : ""}${method.output.path}`;
  const head = `  rpc ${method.name}(${method.input.path}) returns (${output})`;
  return [
    ...commentLines(method.comment, "  "),
    `${head} {`,
    ...method.options.map((option) => `    ${printOption(option, "    ")}`),
    "  }",
  ];
}

function printOption(option: Option, indent: string): string {
  const { name, value } = option.name === "(google.api.http)" ? option : shortened(option);
  return `option ${name} = ${printValue(value, indent)};`;
}

function printMessage(message: Message, indent: string): string[] {
  const inner = `${indent}  `;
  const head = [
    ...(message.deprecated ? [`${inner}option deprecated = true;`] : []),
    ...message.options.map((option) => `${inner}${printOption(option, inner)}`),
    ...(message.reservedNumbers.length === 0
      ? []
      : [`${inner}reserved ${message.reservedNumbers.join(", ")};`]),
  ];
  const nested = [
    ...message.enums.map((enumeration) => printEnum(enumeration, inner)),
    ...message.messages.map((each) => printMessage(each, inner)),
  ];
  const body = [...spaced([...(head.length === 0 ? [] : [head]), ...nested])];
  const fields = printFields(message, inner);
  const gap = body.length > 0 && fields.length > 0 ? [""] : [];
  const lines = [...body, ...gap, ...fields];
  const comment = commentLines(message.comment, indent);
  if (lines.length === 0) return [...comment, `${indent}message ${message.name} {}`];
  return [...comment, `${indent}message ${message.name} {`, ...lines, `${indent}}`];
}

/** Joins blocks with an empty line between them. */
function spaced(blocks: readonly (readonly string[])[]): string[] {
  return blocks.flatMap((lines, index) => (index === 0 ? lines : ["", ...lines]));
}

function printFields(message: Message, indent: string): string[] {
  const lines: string[] = [];
  const done = new Set<string>();
  for (const field of message.fields) {
    const { oneof } = field;
    if (oneof === undefined) {
      lines.push(...printField(field, message, indent));
    } else if (!done.has(oneof.name)) {
      done.add(oneof.name);
      const members = message.fields.filter((each) => each.oneof?.name === oneof.name);
      lines.push(
        ...commentLines(oneof.comment, indent),
        `${indent}oneof ${oneof.name} {`,
        ...oneof.options.map((option) => `${indent}  ${printOption(option, `${indent}  `)}`),
        ...members.flatMap((each) => printField(each, message, `${indent}  `)),
        `${indent}}`,
      );
    }
  }
  return lines;
}

function printField(field: Field, scope: Message, indent: string): string[] {
  const name = typeName(field.type, scope);
  const type = field.label === "map" ? `map<string, ${name}>` : name;
  const label = field.label === "optional" || field.label === "repeated" ? `${field.label} ` : "";
  const options = printInlineOptions(field.options, indent);
  return [
    ...commentLines(field.comment, indent),
    `${indent}${label}${type} ${field.name} = ${field.number}${options};`,
  ];
}

/** Prints the options of a field or an enum value, in brackets. */
function printInlineOptions(options: readonly Option[], indent: string): string {
  const short = options.map(shortened);
  const [only] = short;
  if (only === undefined) return "";
  if (short.length === 1) return ` [${only.name} = ${printValue(only.value, indent)}]`;
  const inner = `${indent}  `;
  const lines = short.map(({ name, value }) => `${inner}${name} = ${printValue(value, inner)}`);
  return ` [\n${lines.join(",\n")}\n${indent}]`;
}

function typeName(type: FieldType, scope: Message): string {
  switch (type.kind) {
    case "scalar":
    case "foreign":
      return type.name;
    case "message":
      return relativeName(type.message, scope);
    case "enum":
      return relativeName(type.enumeration, scope);
  }
}

/** Returns the shortest name by which a message can refer to a type. */
function relativeName(type: Message | Enum, scope: Message): string {
  const root = rootOf(scope);
  if (type.parent === root) return type.name;
  const [first = ""] = type.path.split(".");
  const isHidden = [...root.messages, ...root.enums].some(({ name }) => name === first);
  // the last part of the package is a lower-case word, and no type has such a name
  return isHidden ? `.${root.package}.${type.path}` : type.path;
}

function rootOf(message: Message): Message {
  return message.parent === undefined ? message : rootOf(message.parent);
}

function printEnum(enumeration: Enum, indent: string): string[] {
  const inner = `${indent}  `;
  return [
    ...commentLines(enumeration.comment, indent),
    `${indent}enum ${enumeration.name} {`,
    ...(enumeration.deprecated ? [`${inner}option deprecated = true;`] : []),
    ...(enumeration.reservedNumbers.length === 0
      ? []
      : [`${inner}reserved ${enumeration.reservedNumbers.join(", ")};`]),
    ...enumeration.values.flatMap((value) => [
      ...commentLines(value.comment, inner),
      `${inner}${value.name} = ${value.number}${printInlineOptions(value.options, inner)};`,
    ]),
    `${indent}}`,
  ];
}
