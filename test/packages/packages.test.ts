import { execFileSync, spawnSync } from "node:child_process";
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
import { dirname, join, resolve } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { hasProtoc, NO_PROTOC } from "../generator-kit/compilers.ts";
import { Newcomer } from "./newcomer.ts";

const OURS = [
  "connect-rest-codec",
  "connect-rest-runtime",
  "protoc-gen-connect-rest",
  "connect-rest-gateway",
];

let home = "";

/** A folder with our packages as npm would install them, and everybody else's from the workspace. */
beforeAll(() => {
  home = mkdtempSync(join(tmpdir(), "packages-"));
  const { status, stderr } = spawnSync("npm", ["run", "build"], { encoding: "utf8" });
  expect(stderr, stderr).not.toContain("error");
  expect(status).toBe(0);
  mkdirSync(join(home, "node_modules"));
  for (const name of readdirSync("node_modules")) {
    if (OURS.includes(name) || name.startsWith(".")) continue;
    symlinkSync(resolve("node_modules", name), join(home, "node_modules", name));
  }
  for (const name of OURS) {
    const target = join(home, "node_modules", name);
    mkdirSync(target);
    execFileSync("tar", ["-xzf", `dist/${name}-0.1.0.tgz`, "-C", target, "--strip-components=1"]);
  }
}, 120_000);

afterAll(() => rmSync(home, { recursive: true, force: true }));

function node(...options: string[]): string {
  const { stdout, stderr, status } = spawnSync(process.execPath, options, { cwd: home, encoding: "utf8" });
  expect(status, stderr).toBe(0);
  return stdout;
}

test("the built packages: have executables that run", () => {
  const run = (name: string) => {
    const folder = join("node_modules", name);
    const manifest = JSON.parse(readFileSync(join(home, folder, "package.json"), "utf8"));
    expect(manifest.private).toBeUndefined();
    const [entry = ""] = Object.values<string>(manifest.bin);
    return node(join(folder, entry), "--version").trim();
  };
  expect(run("protoc-gen-connect-rest")).toBe("protoc-gen-connect-rest 0.1.0");
  expect(run("connect-rest-gateway")).toContain("0.1.0");
});

test("the built packages: export what the workspace exports", () => {
  const names = (module: string) =>
    JSON.parse(
      node(
        "--input-type=module",
        "-e",
        `process.stdout.write(JSON.stringify(Object.keys(await import("${module}"))))`,
      ),
    );
  expect(names("connect-rest-runtime")).toContain("createRestTransport");
  expect(names("connect-rest-runtime/adapter")).toContain("RequestWriter");
  expect(names("connect-rest-runtime/oauth")).toContain("bearerInterceptor");
  expect(names("protoc-gen-connect-rest/kit")).toContain("runGenerator");
  expect(names("connect-rest-gateway")).toContain("startGateway");
});

test("the built packages: carry the annotations", () => {
  const protos = readdirSync(join(home, "node_modules/protoc-gen-connect-rest/connectrest/v1"));
  expect(protos).toContain("annotations.proto");
});

test.each(OURS)("the built packages: have pages whose links lead to files: %s", (name) => {
  const folder = join(home, "node_modules", name);
  const pages = readdirSync(folder, { recursive: true, encoding: "utf8" }).filter((path) =>
    path.endsWith(".md"),
  );
  const links = pages.flatMap((page) =>
    [...readFileSync(join(folder, page), "utf8").matchAll(/\]\(((?!https?:|#)[^)\s]+)\)/g)].map(
      ([, link = ""]) => join(dirname(page), link.replace(/#.*/, "")),
    ),
  );
  expect(links.filter((link) => !existsSync(join(folder, link)))).toEqual([]);
  expect(links).not.toEqual([]);
});

test("the built packages: have no tests and nothing made for tests in them", () => {
  for (const name of OURS) {
    const files = readdirSync(join(home, "node_modules", name), { recursive: true, encoding: "utf8" });
    expect(
      files.filter((file) => /\.test\.|testing\/|^gen\/echo|\.ts$/.test(file) && !file.endsWith(".d.ts")),
    ).toEqual([]);
  }
});

test("the built packages: type-check in a strict project that imports them", () => {
  writeFileSync(join(home, "package.json"), '{"type":"module"}');
  writeFileSync(
    join(home, "main.ts"),
    `import { createRestTransport, type RestOptions } from "connect-rest-runtime";
import { RequestWriter } from "connect-rest-runtime/adapter";
import { startGateway } from "connect-rest-gateway";
import { runGenerator } from "protoc-gen-connect-rest/kit";
const options: RestOptions = { adapters: [], upstreams: {} };
// @ts-expect-error an adapter is no string
createRestTransport({ adapters: ["blog"], upstreams: {} });
export const used = [createRestTransport(options), new RequestWriter("GET", "/"), startGateway, runGenerator];
`,
  );
  const options = {
    strict: true,
    module: "nodenext",
    target: "es2024",
    noEmit: true,
    types: ["node"],
    skipLibCheck: false,
  };
  writeFileSync(
    join(home, "tsconfig.json"),
    JSON.stringify({ compilerOptions: options, include: ["main.ts"] }),
  );
  const { stdout, status } = spawnSync("tsc", ["--project", home], { encoding: "utf8" });
  const ours = stdout
    .split("\n")
    .filter((line) => !/^\S*node_modules\/(?!connect-rest|protoc-gen-connect)/.test(line));
  expect(ours.join("\n").trim()).toBe("");
  expect(status === 0 || stdout !== "").toBe(true);
});

test.each([
  ["ts", "ts", "nodenext"],
  ["ts", "none", "bundler"],
  ["js+dts", "js", "nodenext"],
  ["dts", "none", "bundler"],
])(
  "a newcomer: generates target=%s, import_extension=%s, and compiles strictly for %s",
  (target, extension, resolution) => {
    const newcomer = new Newcomer(home);
    newcomer.generateWithBuf("gen", target, extension);
    expect(newcomer.typeCheck(extension, resolution)).toBe("");
    if (resolution === "nodenext") newcomer.run(process.execPath, "main.ts");
  },
);

test("a newcomer: gets the same from protoc, which finds all imports in the package", ({ skip }) => {
  skip(!hasProtoc, NO_PROTOC);
  const newcomer = new Newcomer(home);
  expect(newcomer.generateWithProtoc("by-protoc")).toBe(newcomer.generateWithBuf("by-buf", "ts", "ts"));
});
