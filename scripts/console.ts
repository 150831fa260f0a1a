/** Bundles the sources of the console into one module of the gateway. */
import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { build, type Plugin } from "esbuild";

/** The generated module. */
export const CONSOLE_ASSETS = "gateway/src/gen/console/assets.ts";

const SOURCES = join(import.meta.dirname, "../console/src");

const TYPES: Readonly<Record<string, string>> = {
  js: "text/javascript; charset=utf-8",
  css: "text/css; charset=utf-8",
};

/** An enum as TypeScript compiles it: a variable, and a function that fills it. */
const ENUM = /export var (\w+);\s*\(function \(\1\) \{(.*?)\n\}\)\(\1 \|\| \(\1 = \{\}\)\);/gs;

/** Lets the bundler drop the enums of protobuf-es that the page does not use: 4 KB. */
const unusedEnums: Plugin = {
  name: "unused-enums",
  setup: ({ onLoad }) =>
    onLoad({ filter: /@bufbuild[\\/]protobuf[\\/].*_pb\.js$/ }, ({ path }) => {
      const text = readFileSync(path, "utf8");
      return {
        contents: text.replace(
          ENUM,
          "export var $1 = /* @__PURE__ */ (function ($1) {$2\nreturn $1;\n})({});",
        ),
      };
    }),
};

/** Returns the text of the module. The text depends only on the sources and the bundler. */
export async function consoleModule(): Promise<string> {
  const { outputFiles } = await build({
    entryPoints: [join(SOURCES, "main.tsx"), join(SOURCES, "style.css")],
    outdir: SOURCES,
    bundle: true,
    minify: true,
    write: false,
    format: "esm",
    target: "es2022",
    jsx: "automatic",
    jsxImportSource: "preact",
    charset: "utf8",
    legalComments: "none",
    plugins: [unusedEnums],
    logLevel: "warning",
  });
  const assets: Record<string, { type: string; text: string }> = {};
  let index = readFileSync(join(SOURCES, "index.html"), "utf8");
  for (const { path, text } of outputFiles) {
    const [, stem = "", ending = ""] = /(\w+)\.(\w+)$/.exec(path) ?? [];
    const hash = createHash("sha256").update(text).digest("hex").slice(0, 12);
    const served = `/console/${stem}-${hash}.${ending}`;
    index = index.replace(`/console/${stem}.${ending}`, served);
    assets[served] = { type: TYPES[ending] ?? "", text };
  }
  assets["/"] = { type: "text/html; charset=utf-8", text: index };
  const entries = Object.entries(assets).map(
    ([path, { type, text }]) =>
      `  ${JSON.stringify(path)}: {\n    type: ${JSON.stringify(type)},\n    text: ${JSON.stringify(text)},\n  },\n`,
  );
  return `// @generated from console/src by scripts/console.ts

/** The page of the console, its script and its styles, by path. */
export const ASSETS: Readonly<Record<string, { readonly type: string; readonly text: string }>> = {
${entries.join("")}};
`;
}
