/** Checks that generated code compiles under every strict option of TypeScript, separately and together. */
import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";

const ROOT = join(import.meta.dirname, "../..");
const folder = mkdtempSync(join(tmpdir(), "strict-"));

afterAll(() => rmSync(folder, { recursive: true }));

/** The strict options that a project may turn on. */
const STRICT = {
  strict: true,
  allowUnreachableCode: false,
  allowUnusedLabels: false,
  erasableSyntaxOnly: true,
  exactOptionalPropertyTypes: true,
  forceConsistentCasingInFileNames: true,
  isolatedModules: true,
  noFallthroughCasesInSwitch: true,
  noImplicitOverride: true,
  noImplicitReturns: true,
  noPropertyAccessFromIndexSignature: true,
  noUncheckedIndexedAccess: true,
  noUncheckedSideEffectImports: true,
  noUnusedLocals: true,
  noUnusedParameters: true,
  verbatimModuleSyntax: true,
} as const;

const NODE = {
  module: "nodenext",
  target: "es2024",
  lib: ["es2024", "esnext.error", "esnext.iterator"],
} as const;
const BUNDLER = { ...NODE, module: "preserve", moduleResolution: "bundler" } as const;

const OPTION_SETS: Readonly<Record<string, object>> = {
  "every strict option": { ...NODE, ...STRICT },
  "isolated declarations": { ...NODE, ...STRICT, declaration: true, isolatedDeclarations: true },
  "a bundler": { ...BUNDLER, ...STRICT },
  "a browser": { ...BUNDLER, ...STRICT, lib: [...NODE.lib, "dom", "dom.iterable"] },
  "strict alone": { ...NODE, strict: true },
  "no strict option": { ...NODE, strict: false },
  "the newest target": { ...NODE, ...STRICT, target: "esnext", lib: ["esnext"] },
};

/** Returns the compiler errors in generated files. Excludes the runtime, which the build checks. */
function problemsOf(options: object): string[] {
  const config = join(folder, "tsconfig.json");
  const compilerOptions = {
    ...options,
    noEmit: true,
    skipLibCheck: true,
    allowImportingTsExtensions: true,
    types: ["node"],
    typeRoots: [join(ROOT, "node_modules/@types")],
  };
  const include = [join(ROOT, "gen"), join(ROOT, "test/gen")];
  writeFileSync(config, JSON.stringify({ compilerOptions, include }));
  const { stdout, status } = spawnSync("tsc", ["-p", config, "--pretty", "false"], {
    cwd: ROOT,
    encoding: "utf8",
  });
  const lines = stdout.split("\n").filter((line) => line !== "");
  // Errors about the compiler options have no file position.
  const isOurs = (line: string) => /^(?:test\/)?gen\/|^error /.test(line);
  expect([0, 1, 2]).toContain(status);
  return lines.filter(isOurs);
}

test.each(Object.entries(OPTION_SETS))(
  "generated code compiles with %s",
  (_name, options) => {
    expect(problemsOf(options)).toEqual([]);
  },
  120_000,
);

test("the check finds errors in generated files", () => {
  // Without the library types the compiler must report errors, if it reads the files at all.
  const options = { ...NODE, ...STRICT, lib: ["es5"] };
  expect(problemsOf(options)).not.toEqual([]);
}, 120_000);
