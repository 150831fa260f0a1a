import { readdirSync } from "node:fs";
import { join } from "node:path";
import { Ajv2020 } from "ajv/dist/2020.js";
import addFormats from "ajv-formats";
import type { ServiceAdapter, Tool } from "connect-rest-runtime/adapter";
import { expect, test } from "vitest";

const GEN = join(import.meta.dirname, "../../gen");
const modules = readdirSync(GEN, { recursive: true, encoding: "utf8" }).filter((path) =>
  path.endsWith("_rest.ts"),
);

async function allAdapters(): Promise<ServiceAdapter[]> {
  const adapters: ServiceAdapter[] = [];
  for (const path of modules) {
    const module: Record<string, ServiceAdapter> = await import(join(GEN, path));
    adapters.push(...Object.values(module).filter((each) => each?.service !== undefined));
  }
  return adapters;
}

/** The tools of an adapter, by the names of its methods. */
async function toolsOf({ service, tools }: ServiceAdapter): Promise<Array<[string, Tool]>> {
  const module = await tools?.();
  return Object.entries(module?.tools[service.typeName] ?? {}) as Array<[string, Tool]>;
}

const adapters = await allAdapters();
const tools = (await Promise.all(adapters.map(toolsOf))).flat().map(([, tool]) => tool);

test("every adapter of our APIs leads to its tools, one for each method, streams too", async () => {
  expect(adapters.length).toBeGreaterThan(4);
  for (const adapter of adapters) {
    const kinds = Object.fromEntries((await toolsOf(adapter)).map(([method, { kind }]) => [method, kind]));
    const methods = Object.entries(adapter.methods).map(([name, { method }]) => [name, method.methodKind]);
    expect(kinds).toEqual(Object.fromEntries(methods));
  }
});

test("the tools of our APIs have names that clients accept, each its own", () => {
  const names = tools.map((tool) => tool.name);
  expect(names.length).toBeGreaterThan(20);
  expect(new Set(names).size).toBe(names.length);
  for (const name of names) expect(name).toMatch(/^[a-zA-Z0-9_-]{1,64}$/);
});

test("the tools of our APIs say what they do", () => {
  for (const { name, title, description } of tools) {
    expect(title, name).toMatch(/^[A-Z]/);
    expect(description, name).not.toMatch(/^Calls /);
  }
});

test.each(tools.map((tool) => [tool.name, tool] as const))(
  "%s has schemas that a strict validator takes",
  (_name, tool) => {
    for (const schema of [tool.inputSchema, tool.outputSchema]) {
      const ajv = new Ajv2020({ strict: true, strictRequired: true });
      addFormats.default(ajv);
      expect(ajv.compile(schema)).toBeTypeOf("function");
      for (const keyword of ["oneOf", "anyOf", "allOf", "not", "enum"]) {
        expect(schema).not.toHaveProperty(keyword);
      }
      expect(schema.type).toBe("object");
    }
  },
);
