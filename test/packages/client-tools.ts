/** Downloads the packages that the clients of `examples/clients` need. */
import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import { hasGo, type Installed, installed, NO_GO, run } from "../support/installed.ts";

const MODULE = "examples/clients/go";
const REQUIREMENTS = "examples/clients/python/requirements.txt";

/** Downloads the Go modules. Returns the reason if the download fails. */
export async function downloadModules(): Promise<{ readonly problem?: string | undefined }> {
  if (!hasGo) return { problem: NO_GO };
  try {
    await run("go", ["mod", "download"], { cwd: resolve(MODULE) });
    return {};
  } catch (error) {
    return { problem: `the modules of ${MODULE} cannot be downloaded: ${String(error)}` };
  }
}

/** Downloads the Python packages into a folder that pip reads with `--find-links`. */
export function downloadWheels(): Promise<Installed> {
  const digest = createHash("sha256").update(readFileSync(REQUIREMENTS)).digest("hex").slice(0, 16);
  return installed(`python-clients-${digest}`, async (draft) => {
    // the program must be able to create a virtual environment
    await run("python3", ["-c", "import ensurepip"]);
    await run("python3", ["-m", "pip", "download", "--quiet", "--dest", draft, "-r", REQUIREMENTS]);
  });
}
