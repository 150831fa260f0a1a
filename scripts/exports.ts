/**
 * Writes the conditional exports of a published package. The JavaScript consists of ES modules, which
 * CommonJS loads with `require`. TypeScript needs additional declarations for CommonJS, because dependencies
 * such as `@connectrpc/connect` have different declarations for each module system.
 */
import { existsSync, globSync, readFileSync, writeFileSync } from "node:fs";
import { basename, join } from "node:path";
import type { Json } from "./bundle.ts";

/** A module that throws an error in browsers, where the package does not run. */
const BROWSER = "./src/browser.cjs";

/**
 * Returns the exports with JavaScript instead of TypeScript, and writes the files for CommonJS.
 *
 * @param target the folder of the built package, with its JavaScript and declarations
 */
export function writeExports(target: string, exports: Json): Json {
  const isServerOnly = existsSync(join(target, BROWSER));
  for (const file of globSync("src/**/*.d.ts", { cwd: target })) {
    const declarations = readFileSync(join(target, file), "utf8");
    write(
      target,
      file.replace(/ts$/, "cts"),
      declarations.replaceAll(/((?:from|import\() ?"\.[^"]*)\.js"/g, '$1.cjs"'),
    );
  }
  const entries = Object.entries(exports as { [key: string]: string }).map(([name, source]) => {
    const stem = source.replace(/\.ts$/, "");
    for (const file of globSync(`${stem.replace("*", "**/*")}.js`, { cwd: target })) {
      write(target, file.replace(/js$/, "cjs"), `module.exports = require("./${basename(file)}");\n`);
    }
    return [
      name,
      {
        // generated messages run in browsers
        ...(isServerOnly && !name.startsWith("./gen/") && { browser: inBrowsers(stem) }),
        require: { types: `${stem}.d.cts`, default: `${stem}.cjs` },
        types: `${stem}.d.ts`,
        default: `${stem}.js`,
      },
    ];
  });
  return Object.fromEntries(entries);
}

/** Returns the export for bundles for browsers. Bundles for Cloudflare Workers have the same condition. */
function inBrowsers(stem: string): Json {
  return { types: `${stem}.d.ts`, workerd: `${stem}.js`, default: BROWSER };
}

function write(target: string, file: string, text: string): void {
  writeFileSync(join(target, file), text);
}
