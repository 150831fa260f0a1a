/**
 * Writes the generated pages of docs/: `npm run docs`. With `--check` it writes nothing, lists the outdated
 * pages, and fails if there are any.
 */
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { annotationsPage } from "./annotations.ts";
import { authorizationPage } from "./authorization.ts";
import { diagnosticsPage } from "./diagnostics.ts";
import { errorsPage } from "./errors.ts";
import { performancePages } from "./performance.ts";
import { servicesPage } from "./services.ts";

const ROOT = join(import.meta.dirname, "../..");

const PAGES: Readonly<Record<string, () => string>> = {
  "docs/annotations.md": () => annotationsPage(ROOT),
  "docs/authorization.md": authorizationPage,
  "docs/diagnostics.md": diagnosticsPage,
  "docs/errors.md": errorsPage,
  "docs/services.md": () => servicesPage(ROOT),
};

function mapped(pages: Readonly<Record<string, () => string>>): Record<string, string> {
  return Object.fromEntries(Object.entries(pages).map(([path, print]) => [path, print()]));
}

function isCurrent(path: string, text: string): boolean {
  try {
    return readFileSync(join(ROOT, path), "utf8") === text;
  } catch {
    return false;
  }
}

const texts = { ...mapped(PAGES), ...performancePages(ROOT) };
for (const [path, text] of Object.entries(texts)) {
  if (process.argv[2] !== "--check") {
    writeFileSync(join(ROOT, path), text);
  } else if (!isCurrent(path, text)) {
    process.stderr.write(`${path} is not current; run: npm run docs\n`);
    process.exitCode = 1;
  }
}
