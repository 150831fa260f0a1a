import { create, createFileRegistry, type DescMethod } from "@bufbuild/protobuf";
import { FileDescriptorProtoSchema } from "@bufbuild/protobuf/wkt";
import fc from "fast-check";
import { expect, test } from "vitest";
import { createTools } from "./tool.ts";

/** Returns the methods of services with these full names. */
function methodsOf(services: ReadonlyMap<string, readonly string[]>): readonly DescMethod[] {
  return [...services].flatMap(([name, methods], index) => {
    const file = create(FileDescriptorProtoSchema, {
      name: `file${index}.proto`,
      package: name.split(".").slice(0, -1).join("."),
      syntax: "proto3",
      messageType: [{ name: `Empty${index}` }],
      service: [
        {
          name: name.split(".").at(-1) ?? "",
          method: methods.map((each) => {
            const type = `.${[...name.split(".").slice(0, -1), `Empty${index}`].join(".")}`;
            return { name: each, inputType: type, outputType: type };
          }),
        },
      ],
    });
    const service = createFileRegistry(file, () => undefined).getService(name);
    return service?.methods ?? [];
  });
}

const part = fc.stringMatching(/^[a-z][a-z0-9_]{0,30}$/);
const name = fc.array(part, { minLength: 2, maxLength: 4 }).map((parts) => parts.join("."));
const methods = fc.uniqueArray(fc.stringMatching(/^[A-Z][A-Za-z0-9_]{0,70}$/), {
  minLength: 1,
  maxLength: 4,
});

test("property: the names of tools are unique and valid, and short, unambiguous names of methods are readable", () => {
  fc.assert(
    fc.property(
      fc.uniqueArray(name, { maxLength: 5 }),
      fc.array(methods, { minLength: 5 }),
      (names, lists) => {
        const all = methodsOf(new Map(names.map((each, at) => [each, lists[at] ?? ["Get"]])));
        const tools = createTools(all, new Map());
        expect(new Set(tools.map((tool) => tool.name)).size).toBe(all.length);
        const plain = all.map((method) =>
          `${method.parent.typeName}/${method.name}`.replaceAll(/[./]/g, "_"),
        );
        for (const tool of tools) {
          // the names that clients of the Model Context Protocol accept
          expect(tool.name).toMatch(/^[\w-]{1,64}$/);
          const own = `${tool.method.parent.typeName}/${tool.method.name}`.replaceAll(/[./]/g, "_");
          const isReadable = own.length <= 64 && plain.filter((each) => each === own).length === 1;
          expect(tool.name === own).toBe(isReadable);
        }
        // a method keeps its name, whatever the order of the others
        const reversed = createTools([...all].reverse(), new Map());
        expect(reversed.map((tool) => tool.name)).toEqual(tools.map((tool) => tool.name));
      },
    ),
  );
});

test("methods whose names differ only in dots and underscores have different tools", () => {
  const all = methodsOf(
    new Map([
      ["a.b_c.S", ["Get"]],
      ["a_b.c.S", ["Get"]],
    ]),
  );
  const names = createTools(all, new Map()).map((tool) => tool.name);
  expect(names).toEqual([
    expect.stringMatching(/^a_b_c_S_Get_[0-9a-f]{8}$/),
    expect.stringMatching(/^a_b_c_S_Get_[0-9a-f]{8}$/),
  ]);
  expect(new Set(names).size).toBe(2);
});
