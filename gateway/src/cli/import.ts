import { spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { findPackageJSON } from "node:module";
import path from "node:path";
import { pathToFileURL } from "node:url";
import { printError } from "./output.ts";

const PACKAGE = "connect-rest-import";

/**
 * `connect-rest import`: runs the command of the connect-rest-import package that is installed in the working
 * directory, and resolves to its exit status. A gateway does not depend on that package, since servers parse
 * no OpenAPI.
 */
export async function importDocument(args: readonly string[]): Promise<number> {
  const entry = installedEntry();
  if (entry === undefined) {
    printError(`error: ${PACKAGE} is not installed here; run npm install --save-dev ${PACKAGE}`);
    return 1;
  }
  const child = spawn(process.execPath, [entry, ...args], { stdio: "inherit" });
  const [status] = await once(child, "close");
  return status ?? 1;
}

function installedEntry(): string | undefined {
  try {
    const manifest = findPackageJSON(PACKAGE, pathToFileURL(path.resolve("index.js")));
    if (manifest === undefined) return undefined;
    const { bin } = JSON.parse(readFileSync(manifest, "utf8"));
    return path.join(path.dirname(manifest), bin[PACKAGE]);
  } catch {
    return undefined;
  }
}
