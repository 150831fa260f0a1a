import { execFileSync } from "node:child_process";
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import fc from "fast-check";
import { afterAll, expect, test } from "vitest";
import { TOOLS } from "../init/manifest.ts";
import { isName, nameFor } from "../init/project.ts";
import { type Run, runCli } from "../testing/child.ts";

const root = path.resolve(import.meta.dirname, "../../..");
const directory = mkdtempSync(path.join(tmpdir(), "connect-rest-init-"));
afterAll(() => rmSync(directory, { recursive: true }));

async function init(...args: readonly string[]): Promise<{ status: unknown } & ReturnType<Run["output"]>> {
  const run = runCli(["init", "--no-install", ...args], directory);
  return { status: await run.exit, ...run.output() };
}

function read(file: string): string {
  return readFileSync(path.join(directory, file), "utf8");
}

/** Creates a folder with files for a test. */
function folderWith(name: string, files: Readonly<Record<string, string>>): void {
  mkdirSync(path.join(directory, name), { recursive: true });
  for (const [file, text] of Object.entries(files)) writeFileSync(path.join(directory, name, file), text);
}

test("writes a project without asking when standard input is not a terminal", async () => {
  const { status, stdout } = await init("book-shop", "--credentials", "basic");
  expect(status).toBe(0);
  expect(stdout.split("\n").filter((line) => line.startsWith("wrote "))).toHaveLength(8);
  expect(stdout).toContain(`  cd book-shop
  npm install
  npm run generate
  export BOOK_SHOP_USER=…
  export BOOK_SHOP_PASSWORD=…
  npm start
`);
  expect(read("book-shop/proto/book_shop/v1/book_shop.proto")).toContain("credentials: BASIC");
  expect(read("book-shop/connect-rest.yaml")).toContain("baseUrl: https://api.example.com");
  expect(JSON.parse(read("book-shop/package.json"))).toMatchObject({
    name: "book-shop",
    private: true,
    type: "module",
    scripts: { start: "connect-rest serve" },
    dependencies: {
      "connect-rest-gateway": `file:${path.relative(path.join(directory, "book-shop"), root)}/gateway`,
    },
  });
});

test("the example has the format of `buf format`", async () => {
  for (const credentials of ["none", "api-key", "bearer", "basic"]) {
    await init(`format-${credentials}`, "--credentials", credentials);
    const buf = path.join(root, "node_modules/.bin/buf");
    expect(
      execFileSync(buf, ["format", "--diff", "proto"], {
        cwd: path.join(directory, `format-${credentials}`),
      }).toString(),
    ).toBe("");
  }
});

test("keeps existing files, and adds only what package.json lacks", async () => {
  folderWith("old", {
    "package.json": '{"name":"mine","scripts":{"start":"node main.js"},"dependencies":{"typescript":"5"}}',
    "README.md": "# Mine\n",
  });
  const { status, stdout } = await init("old", "--name", "shelf");
  expect(status).toBe(0);
  expect(stdout).toContain(`kept ${path.join("old", "README.md")}`);
  expect(read("old/README.md")).toBe("# Mine\n");
  const manifest = JSON.parse(read("old/package.json"));
  expect(manifest).toMatchObject({
    name: "mine",
    type: "module",
    scripts: { start: "node main.js", generate: "buf generate" },
  });
  expect(manifest.dependencies.typescript).toBe("5");
  expect(manifest.devDependencies).not.toHaveProperty("typescript");
  expect(manifest).not.toHaveProperty("private");
});

test("passes --allow-path and --allow-remote on to the import", async () => {
  folderWith("described", { "openapi.yaml": "openapi: 3.0.0\n" });
  const document = path.join("described", "openapi.yaml");
  const shared = path.join(directory, "shared");
  const folders = ["--allow-path", "shared", "--allow-path", "/common"];
  const { stdout } = await init("allowed", "--openapi", document, ...folders, "--allow-remote");
  expect(stdout).toContain(` --allow-path ${shared} --allow-path /common --allow-remote\n`);
  const { stdout: plain } = await init("refused", "--openapi", document);
  expect(plain).not.toContain("--allow");
});

test("the next steps name a folder that begins with a dash as a path", async () => {
  const { status, stdout } = await init("--yes", "--", "--fine");
  expect({ status, line: stdout.split("\n").find((line) => line.includes("cd ")) }).toEqual({
    status: 0,
    line: "  cd ./--fine",
  });
});

test("a second run changes nothing", async () => {
  await init("twice");
  const before = read("twice/package.json");
  const { stdout } = await init("twice");
  expect(read("twice/package.json")).toBe(before);
  expect(stdout.split("\n").filter((line) => line.startsWith("kept "))).toHaveLength(7);
});

test.each([
  [
    "a name that is not valid in a package name",
    ["--name", "My-Shop"],
    "--name My-Shop: expected lowercase letters",
  ],
  [
    "an address without a scheme",
    ["--base-url", "api.example"],
    "--base-url api.example: expected an http or https URL",
  ],
  [
    "an address with a password, which it does not repeat",
    ["--base-url", "https://me:hush@api.example"],
    "--base-url has a user or a password: expected an http or https URL, as in https://api.example.com; --credentials says",
  ],
  ["an address with a key", ["--base-url", "https://a.example?key=hush"], "--base-url has a query: expected"],
  [
    "an address with a fragment",
    ["--base-url", "https://a.example#hush"],
    "--base-url has a fragment: expected",
  ],
  ["another scheme", ["--base-url", "ftp://a.example"], "--base-url has the scheme ftp:: expected"],
  ["a missing document", ["--openapi", "none.yaml"], "--openapi none.yaml: there is no such file"],
  ["a folder as document", ["--openapi", "."], "--openapi .: there is no such file"],
  [
    "an address together with a document",
    ["--openapi", "a.yaml", "--base-url", "http://a"],
    "an OpenAPI document has both",
  ],
  ["--allow-path without a document", ["--allow-path", "."], "pass --openapi too"],
  ["--allow-remote without a document", ["--allow-remote"], "pass --openapi too"],
])("rejects %s, and writes nothing", async (_, options, problem) => {
  const { status, stdout, stderr } = await init("rejected", ...options);
  expect(stderr).toContain(problem);
  expect(stderr).not.toContain("hush");
  expect({ status, stdout }).toEqual({ status: 1, stdout: "" });
  expect(existsSync(path.join(directory, "rejected"))).toBe(false);
});

test.each([
  ["an entry point and no type", '{"main":"index.js"}', 'has no "type", but adapters are ES modules'],
  ["scripts as a string", '{"scripts":"abc"}', '"scripts" is not an object'],
  ["CommonJS", '{"type":"commonjs"}', 'has "type": "commonjs", but adapters are ES modules'],
  ["content that is not JSON", "{", "cannot be read"],
  ["a list", "[]", "is not a JSON object"],
])("rejects a package.json with %s, and writes nothing", async (name, text, problem) => {
  folderWith(name, { "package.json": text });
  const { status, stderr } = await init(name);
  expect(stderr).toContain(problem);
  expect(status).toBe(1);
  expect(read(`${name}/package.json`)).toBe(text);
  expect(existsSync(path.join(directory, name, "buf.yaml"))).toBe(false);
});

test("property: any folder name results in a valid protobuf name", () => {
  fc.assert(fc.property(fc.string({ unit: "binary" }), (folder) => isName(nameFor(folder))));
});

test("the tools have the versions that this repository uses", () => {
  const { devDependencies } = JSON.parse(readFileSync(path.join(root, "package.json"), "utf8"));
  expect(devDependencies).toMatchObject(TOOLS);
});

test("import fails if connect-rest-import is not installed, with instructions to install it", async () => {
  const run = runCli(["import", "openapi.yaml"], directory);
  expect(await run.exit).toBe(1);
  expect(run.output().stderr).toBe(
    "error: connect-rest-import is not installed here; run npm install --save-dev connect-rest-import\n",
  );
});

test("import passes its arguments to connect-rest-import, and exits with its status", async () => {
  const help = runCli(["import", "--help"], root);
  expect(await help.exit).toBe(0);
  expect(help.output().stdout).toContain("Usage: connect-rest-import DOCUMENT [options]");
  const missing = runCli(["import", "none.yaml", "--package", "a.v1"], root);
  expect(await missing.exit).toBe(1);
  expect(missing.output().stderr).toContain("none.yaml: is no file that can be read");
});

test("rejects a folder with foreign files in gen/, because generation would remove them", async () => {
  folderWith("precious/gen", { "mine.ts": "export {};\n" });
  const { status, stderr } = await init("precious");
  expect(stderr).toContain("has files, which generation would remove");
  expect(status).toBe(1);
  expect(existsSync(path.join(directory, "precious/package.json"))).toBe(false);
});

test.each([
  ["package.json", "package.json"],
  ["README.md", "README.md"],
  ["proto", "proto"],
])("does not write through a link: %s", async (_, link) => {
  const folder = `linked-${link}`;
  mkdirSync(path.join(directory, folder));
  mkdirSync(path.join(directory, "elsewhere"), { recursive: true });
  symlinkSync(path.join(directory, "elsewhere", link), path.join(directory, folder, link));
  const { status, stderr } = await init(folder);
  expect(stderr).toContain("is a link, which init does not follow");
  expect(status).toBe(1);
  expect(readdirSync(path.join(directory, "elsewhere"))).toEqual([]);
  expect(readdirSync(path.join(directory, folder))).toEqual([link]);
});

test("rejects a file where a folder belongs, or a folder where a file belongs, and writes nothing", async () => {
  folderWith("files", { proto: "" });
  expect((await init("files")).stderr).toContain("is a file, but the project needs a folder there");
  mkdirSync(path.join(directory, "folders/README.md"), { recursive: true });
  expect((await init("folders")).stderr).toContain("is a folder, but the project needs a file there");
  expect(readdirSync(path.join(directory, "files"))).toEqual(["proto"]);
  writeFileSync(path.join(directory, "plain"), "");
  expect((await init("plain")).stderr).toContain("plain is a file; choose another folder");
});

test("quotes the commands that it prints", async () => {
  const { stdout } = await init("it's; mine", "--name", "shelf");
  expect(stdout).toContain("  cd 'it'\\''s; mine'\n");
});

test.each(["connectrest", "google", "buf", "constructor"])("rejects the reserved name %s", async (name) => {
  const { stderr } = await init("reserved", "--name", name);
  expect(stderr).toContain("and no reserved name");
});
