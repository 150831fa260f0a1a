import type { DescService } from "@bufbuild/protobuf";
import { localName } from "../descriptors/names.ts";
import type { Writer } from "../kit/writer.ts";
import { docComment } from "../print/doc-comment.ts";
import { type Literal, printKey, printLiteral, printString } from "../print/literal.ts";
import type { JsonSchema } from "./schema/json-schema.ts";
import type { Tool } from "./tool.ts";

/** Prints the tools of the services of one file. */
export class ToolPrinter {
  private readonly file: Pick<Writer, "claim" | "importDescriptorType">;
  /** The constants that hold the schemas of messages, by full name: tools share them. */
  private readonly definitions = new Map<string, string>();

  constructor(file: Pick<Writer, "claim" | "importDescriptorType">) {
    this.file = file;
  }

  /** The lines of a service's table: an object, by the methods' names in TypeScript. */
  print(service: DescService, tools: ReadonlyMap<string, Tool>): string[] {
    const type = this.file.importDescriptorType(service);
    const name = this.file.claim(`${localName(service)}Tools`);
    return [
      ...[...tools.values()].flatMap(({ inputSchema }) => this.printDefinitions(inputSchema)),
      "",
      ...docComment(
        `The methods of ${service.typeName} as tools of a language model, by their names in TypeScript.\n` +
          "An `inputSchema` describes the request in ProtoJSON (JSON Schema, draft 2020-12).",
      ),
      `export const ${name} = {`,
      ...[...tools].flatMap(([method, tool]) => this.printTool(method, tool)),
      `} satisfies { readonly [Method in keyof typeof ${type}.method]?: object };`,
    ];
  }

  private printDefinitions(schema: JsonSchema): string[] {
    return definitionsOf(schema).flatMap(([typeName, definition]) => {
      if (this.definitions.has(typeName)) return [];
      const name = this.file.claim(`${typeName.replaceAll(".", "_")}_schema`);
      this.definitions.set(typeName, name);
      return ["", `const ${name} = ${printLiteral(definition)};`];
    });
  }

  private printTool(method: string, tool: Tool): string[] {
    return [
      `  ${printKey(method)}: {`,
      `    name: ${printString(tool.name)},`,
      `    title: ${printString(tool.title)},`,
      `    description: ${printString(tool.description)},`,
      "    inputSchema: {",
      ...Object.entries(tool.inputSchema).flatMap(([key, value]) =>
        value === undefined ? [] : this.printKeyword(key, value),
      ),
      "    },",
      `    annotations: ${printLiteral({ ...tool.annotations }, 4)},`,
      "  },",
    ];
  }

  private printKeyword(key: string, value: Literal): string[] {
    // clients ask for this very text, which its type would else not show
    if (key === "type") return [`      type: ${printLiteral(value)} as const,`];
    if (key !== "$defs") return [`      ${printKey(key)}: ${printLiteral(value, 6)},`];
    const definitions = Object.keys(value as JsonSchema).map(
      (typeName) => `        ${printKey(typeName)}: ${this.definitions.get(typeName)},`,
    );
    return ["      $defs: {", ...definitions, "      },"];
  }
}

function definitionsOf(schema: JsonSchema): Array<[string, Literal]> {
  return Object.entries((schema.$defs ?? {}) as JsonSchema);
}
