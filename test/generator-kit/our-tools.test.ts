import { readdirSync } from "node:fs";
import { join } from "node:path";
import { Ajv2020 } from "ajv/dist/2020.js";
import addFormats from "ajv-formats";
import { describe, expect, test } from "vitest";

interface Tool {
  readonly name: string;
  readonly title: string;
  readonly description: string;
  readonly inputSchema: { readonly type: "object"; readonly [keyword: string]: unknown };
}

const GEN = join(import.meta.dirname, "../../gen");
const modules = readdirSync(GEN, { recursive: true, encoding: "utf8" }).filter((path) =>
  path.endsWith("_rest.ts"),
);

async function allTools(): Promise<Tool[]> {
  const tools: Tool[] = [];
  for (const path of modules) {
    const module: Record<string, object> = await import(join(GEN, path));
    for (const [name, table] of Object.entries(module)) {
      if (name.endsWith("Tools")) tools.push(...Object.values(table));
    }
  }
  return tools;
}

const tools = await allTools();

describe("the tools of our APIs", () => {
  test("have names that clients accept, each its own", () => {
    const names = tools.map((tool) => tool.name);
    expect(names.length).toBeGreaterThan(20);
    expect(new Set(names).size).toBe(names.length);
    for (const name of names) expect(name).toMatch(/^[a-zA-Z0-9_-]{1,64}$/);
  });

  test("say what they do", () => {
    for (const { name, title, description } of tools) {
      expect(title, name).toMatch(/^[A-Z]/);
      expect(description, name).not.toMatch(/^Calls /);
    }
  });

  test.each(tools.map((tool) => [tool.name, tool] as const))(
    "%s has a schema that a strict validator takes",
    (_name, tool) => {
      const ajv = new Ajv2020({ strict: true, strictRequired: true });
      addFormats.default(ajv);
      expect(ajv.compile(tool.inputSchema)).toBeTypeOf("function");
      for (const keyword of ["oneOf", "anyOf", "allOf", "not", "enum"])
        expect(tool.inputSchema).not.toHaveProperty(keyword);
      expect(tool.inputSchema.type).toBe("object");
    },
  );
});
