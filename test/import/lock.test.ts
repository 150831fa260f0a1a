import { appendFileSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { afterAll, beforeAll, expect, test } from "vitest";
import { importDocument, Lock, Reader } from "../../import/src/index.ts";
import type { Json } from "../../import/src/json.ts";
import { runImport } from "./project.ts";

let folder = "";

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "import-"));
});

afterAll(() => rmSync(folder, { recursive: true }));

/** Property keys in any order; some of them map to the same name. */
const keys = fc.uniqueArray(
  fc.constantFrom(
    "id",
    "name",
    "fooBar",
    "foo_bar",
    "foo-bar",
    "a1",
    "a_1",
    "+1",
    "größe",
    "type",
    "__proto__",
  ),
);

/** Documents whose schemas have these properties in this order. */
const documents = fc.dictionary(fc.constantFrom("pet", "Pet", "pet-toy", "PetToy", "owner"), keys, {
  minKeys: 1,
});

function documentOf(schemas: Readonly<Record<string, readonly string[]>>): Json {
  const component = (properties: readonly string[]) => ({
    type: "object",
    properties: Object.fromEntries(properties.map((key) => [key, { type: "string" }])),
  });
  const references = Object.keys(schemas).map((name) => [name, { $ref: `#/components/schemas/${name}` }]);
  const schema = { type: "object", properties: Object.fromEntries(references) };
  const content = { "application/json": { schema } };
  return {
    openapi: "3.0.0",
    info: { title: "Shop", version: "1" },
    paths: { "/all": { get: { responses: { 200: { description: "", content } } } } },
    components: {
      schemas: Object.fromEntries(Object.entries(schemas).map(([name, each]) => [name, component(each)])),
    },
  };
}

async function importOf(schemas: Readonly<Record<string, readonly string[]>>, lock: Lock) {
  const document = { name: "", url: undefined, value: documentOf(schemas) };
  return await importDocument(document, new Reader(undefined, false), { lock, package: "shop.v1" });
}

/** Returns the field numbers in a lock, by message and key. */
function numbersIn(lock: string): ReadonlyMap<string, number> {
  const { names, numbers } = JSON.parse(lock) as {
    names: Record<string, string>;
    numbers: Record<string, Record<string, number>>;
  };
  return new Map(
    Object.entries(names).flatMap(([source, name]) =>
      Object.entries(numbers[name] ?? {}).map(
        ([key, number]) => [`${source} ${name} ${key}`, number] as const,
      ),
    ),
  );
}

test("property: names and numbers stay the same when a document grows, shrinks and is reordered", async () => {
  await fc.assert(
    fc.asyncProperty(documents, documents, async (before, after) => {
      const first = await importOf(before, Lock.empty());
      const second = await importOf(after, Lock.parse(first.lock, "lock"));
      const third = await importOf(before, Lock.parse(second.lock, "lock"));
      const given = numbersIn(third.lock);
      for (const [key, number] of numbersIn(first.lock)) expect(given.get(key), key).toBe(number);
      const numbers = Object.values((JSON.parse(third.lock) as { numbers: object }).numbers);
      for (const each of numbers) {
        expect(new Set(Object.values(each as object)).size).toBe(Object.keys(each as object).length);
      }
    }),
    { numRuns: 100 },
  );
});

test("the number of a removed field is reserved", async () => {
  const first = await importOf({ pet: ["id", "name"] }, Lock.empty());
  const second = await importOf({ pet: ["name", "type"] }, Lock.parse(first.lock, "lock"));
  const text = [...second.files.values()].join("\n");
  expect(text).toContain(
    "message Pet {\n  reserved 1;\n\n  optional string name = 2;\n  optional string type = 3;\n}",
  );
});

test("a manually edited file is not overwritten, and the error has a remedy", async () => {
  const document = join(folder, "shop.json");
  writeFileSync(document, JSON.stringify(documentOf({ pet: ["id"] })));
  const args = [document, "--output", folder, "--package", "shop.v1"];
  expect(await runImport(args)).toMatchObject({ code: 0 });
  const proto = join(folder, "proto/shop/v1/all.proto");
  appendFileSync(proto, "// mine\n");
  expect(await runImport(args)).toMatchObject({
    code: 1,
    errors: `${proto}: was changed by hand; move what was added to rules.yaml, restore or delete the file, and import again\n`,
  });
  expect(readFileSync(proto, "utf8")).toContain("// mine");
});

test("a project file is written only once, and the file of a removed service is deleted", async () => {
  const other = join(folder, "other");
  const document = join(folder, "paths.json");
  const paths = (...names: readonly string[]) =>
    writeFileSync(
      document,
      JSON.stringify({
        openapi: "3.0.0",
        info: { title: "Shop", version: "1" },
        paths: Object.fromEntries(names.map((name) => [`/${name}`, { get: { responses: {} } }])),
      }),
    );
  const args = [document, "--output", other, "--package", "shop.v1"];
  paths("pets", "toys");
  await runImport(args);
  writeFileSync(join(other, "connect-rest.yaml"), "mine");
  paths("pets");
  expect(await runImport(args)).toMatchObject({ code: 0 });
  expect(readFileSync(join(other, "connect-rest.yaml"), "utf8")).toBe("mine");
  expect(existsSync(join(other, "proto/shop/v1/toys.proto"))).toBe(false);
});

const tags = fc.uniqueArray(fc.constantFrom("pets", "toys", "owners"), { minLength: 1 });

/** How a person edits the adapters of `connect-rest.yaml`. */
const EDITS: Readonly<Record<string, (yaml: string) => string>> = {
  "not at all": (yaml) => yaml,
  "with comments": (yaml) => `# mine\n${yaml.replaceAll(/^ {2}- /gm, "  # served\n  - ")}`,
  "in another order": (yaml) =>
    yaml.replace(/(?: {2}- .*\n)+/, (list) => `${list.trimEnd().split("\n").toReversed().join("\n")}\n`),
  "one commented out": (yaml) => yaml.replace("  - ./", "  # - ./"),
  "another adapter added": (yaml) => yaml.replace("adapters:\n", "adapters:\n  - ./mine_rest.ts\n"),
};

test("property: a second import keeps connect-rest.yaml, and reports adapters that it lacks or that no longer exist", async () => {
  let count = 0;
  await fc.assert(
    fc.asyncProperty(tags, tags, fc.constantFrom(...Object.keys(EDITS)), async (first, second, edit) => {
      count += 1;
      const output = join(folder, `again-${count}`);
      const document = join(folder, "tags.json");
      const importTags = async (names: readonly string[]) => {
        const paths = names.map((name) => [`/${name}`, { get: { tags: [name], responses: {} } }] as const);
        const info = { title: "Shop", version: "1" };
        writeFileSync(document, JSON.stringify({ openapi: "3.0.0", info, paths: Object.fromEntries(paths) }));
        const result = await runImport([document, "--output", output, "--package", "shop.v1"]);
        expect(result).toMatchObject({ code: 0, errors: "" });
        return result.output.split("\n").filter((line) => line.startsWith("connect-rest.yaml "));
      };
      expect(await importTags(first)).toEqual([]);
      const file = join(output, "connect-rest.yaml");
      const edited = (EDITS[edit] ?? String)(readFileSync(file, "utf8"));
      writeFileSync(file, edited);
      const adapter = (name: string) => `./gen/shop/v1/${name}_rest.ts`;
      const advice = [
        ...second
          .filter((name) => !first.includes(name))
          .map(
            (name) =>
              `connect-rest.yaml does not list ${adapter(name)}; add it to adapters to serve its methods`,
          ),
        ...first
          .filter((name) => !second.includes(name))
          .map((name) => `connect-rest.yaml lists ${adapter(name)}, which is no longer generated; remove it`),
      ];
      expect((await importTags(second)).toSorted()).toEqual(advice.toSorted());
      expect(readFileSync(file, "utf8")).toBe(edited);
    }),
    { numRuns: 30 },
  );
});

test("an import with another package does not remove the files of an earlier import", async () => {
  const output = join(folder, "packages");
  const document = join(folder, "package.json");
  writeFileSync(document, JSON.stringify(documentOf({ pet: ["id"] })));
  expect(await runImport([document, "--output", output, "--package", "shop.v1"])).toMatchObject({ code: 0 });
  const lock = join(output, "connect-rest-import.lock.json");
  expect(await runImport([document, "--output", output, "--package", "store.v1"])).toMatchObject({
    code: 1,
    errors: `${lock}: was written by an import with the file proto/shop/v1/all.proto, which is not in the package store.v1; pass the --package of that import, import another API with another --output, or delete this file and proto/shop/v1/all.proto to rename the package\n`,
  });
  expect(existsSync(join(output, "proto/shop/v1/all.proto"))).toBe(true);
});
