import type { DescFile, DescMessage } from "@bufbuild/protobuf";
import {
  docComment,
  type KitRequest,
  type Literal,
  localName,
  type NewFile,
  printKey,
  printLiteral,
  printString,
  type ServiceModel,
} from "protoc-gen-connect-rest/kit";
import type { Direction, JsonSchema } from "../schema/json-schema.ts";
import { DIALECT, MessageSchemas, neededProperties, requiredNames } from "../schema/message.ts";
import type { ToolModel } from "../tool/tool.ts";

/** The module with the types of what is printed. */
const RUNTIME = "connect-rest-runtime/adapter";

/** Path of the file with the tools of a .proto file, below the output directory and without extension. */
export function toolsPath(desc: DescFile): string {
  return `${desc.name}_tools`;
}

/** The files of a run. The schema of a message stands in the file of the message, where that is generated too. */
export class ToolFiles {
  readonly schemas = { input: new MessageSchemas("input"), output: new MessageSchemas("output") } as const;
  private readonly request: KitRequest;
  private readonly files = new Map<DescFile, ToolFile>();

  constructor(request: KitRequest) {
    this.request = request;
  }

  /** The file of a .proto file, made where there is none yet; undefined where the run does not generate for it. */
  file(desc: DescFile): ToolFile | undefined {
    const found = this.files.get(desc);
    if (found !== undefined || !this.request.files.includes(desc)) return found;
    const file = new ToolFile(this.request.newFile(`${toolsPath(desc)}.ts`, desc), this);
    this.files.set(desc, file);
    return file;
  }

  /** Writes the text of all files; to be called once, behind all tables. */
  finish(): void {
    for (const file of this.files.values()) file.finish();
  }
}

/** A file `x_tools.ts`: schemas of messages, then a table for each service, then the table of these. */
export class ToolFile {
  private readonly file: NewFile;
  private readonly all: ToolFiles;
  private readonly schemas = new Map<string, readonly string[]>();
  private readonly names = new Map<DescMessage, Partial<Record<Direction, string>>>();
  private readonly tables: string[] = [];
  /** The names of the tables, by the full names of their services. */
  private readonly services = new Map<string, string>();

  constructor(file: NewFile, all: ToolFiles) {
    this.file = file;
    this.all = all;
    // whoever loads the file asks for it by this name
    file.claim("tools");
  }

  /** Adds the table of a service: its tools, by the names of the methods in TypeScript. */
  addService({ desc }: ServiceModel, tools: readonly ToolModel[]): void {
    const name = this.file.claim(`${desc.name}Tools`);
    const type = `${this.file.importType("ServiceTools", RUNTIME)}<typeof ${this.file.importDescriptorType(desc)}>`;
    this.services.set(desc.typeName, name);
    this.tables.push(
      "",
      ...docComment(`The methods of ${desc.typeName} as tools of a language model.`),
      // with its type, which `isolatedDeclarations` of TypeScript asks for
      `export const ${name}: Required<`,
      "  Pick<",
      `    ${type},`,
      ...tools.map((tool) => `    | ${printString(tool.desc.localName)}`),
      "  >",
      "> = {",
      ...tools.flatMap((tool) => this.toolLines(tool)),
      "};",
    );
  }

  finish(): void {
    const schemas = [...this.schemas].sort(([a], [b]) => (a < b ? -1 : 1));
    this.file.add(...schemas.flatMap(([, lines]) => lines), ...this.tables);
    if (this.services.size === 0) return;
    const type = this.file.importType("ToolsModule", RUNTIME);
    this.file.add(
      "",
      ...docComment("The tools of each service, by its full name."),
      "export const tools: {",
      ...[...this.services].map(([typeName, name]) => `  readonly ${printKey(typeName)}: typeof ${name};`),
      "} = {",
      ...[...this.services].map(([typeName, name]) => `  ${printKey(typeName)}: ${name},`),
      `} satisfies ${type}["tools"];`,
    );
  }

  private toolLines(tool: ToolModel): string[] {
    const { input, output } = tool.desc;
    return [
      `  ${printKey(tool.desc.localName)}: {`,
      `    name: ${printString(tool.name)},`,
      `    title: ${printString(tool.title)},`,
      `    description: ${printString(tool.description)},`,
      `    kind: ${printString(tool.desc.methodKind)},`,
      "    inputSchema: {",
      ...this.schemaLines(input, "input", tool.needed),
      "    },",
      "    outputSchema: {",
      ...this.schemaLines(output, "output"),
      "    },",
      `    annotations: ${printLiteral({ ...tool.annotations }, 4)},`,
      "  },",
    ];
  }

  /** The whole schema of a message, made of the constants of the message and of those below it. */
  private schemaLines(
    desc: DescMessage,
    direction: Direction,
    needed: ReadonlySet<string> = new Set(),
  ): string[] {
    const schemas = this.all.schemas[direction];
    const dialect = `      $schema: ${printString(DIALECT)},`;
    const root = schemas.definition(desc)?.schema;
    if (root === undefined) return [dialect, ...keywordLines(schemas.special(desc) ?? {})];
    const required = requiredNames(desc, root, needed);
    const differs = JSON.stringify(required) !== JSON.stringify(root.required);
    const definitions = schemas
      .below(desc)
      .map((each) => `        ${printKey(each.typeName)}: ${this.schemaOf(each, direction)},`);
    return [
      dialect,
      `      ...${this.schemaOf(desc, direction)},`,
      ...keywordLines(neededProperties(root, needed) ?? {}),
      ...(differs ? keywordLines({ required }) : []),
      ...(definitions.length === 0 ? [] : ["      $defs: {", ...definitions, "      },"]),
    ];
  }

  /** How this file calls the constant with the schema of a message. */
  private schemaOf(desc: DescMessage, direction: Direction): string {
    const home = this.all.file(desc.file) ?? this;
    const name = home.define(desc, direction);
    return home === this ? name : this.file.importValue(name, this.file.relative(toolsPath(desc.file)));
  }

  /** The name of the constant with the schema of a message, in this file. */
  private define(desc: DescMessage, direction: Direction): string {
    const names = this.names.get(desc) ?? {};
    const known = names[direction];
    if (known !== undefined) return known;
    const name = this.file.claim(`${localName(desc)}_${direction}`);
    this.names.set(desc, { ...names, [direction]: name });
    const schema = this.all.schemas[direction].definition(desc)?.schema ?? {};
    const type = this.file.importType("ToolSchema", RUNTIME);
    this.schemas.set(name, ["", `export const ${name}: ${type} = ${printLiteral(schema)};`]);
    return name;
  }
}

function keywordLines(schema: JsonSchema): string[] {
  return Object.entries(schema).flatMap(([key, value]: [string, Literal]) =>
    value === undefined ? [] : [`      ${printKey(key)}: ${printLiteral(value, 6)},`],
  );
}
