import { createHash } from "node:crypto";
import { mkdir, readFile, rm, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import type { Imported } from "../import.ts";
import { isObject, type Json, member } from "../json.ts";
import { Lock } from "../lock/lock.ts";
import { ImportError } from "../problem.ts";
import { adapterOf, CONFIGURATION_FILE } from "../project/configuration.ts";
import { PROTO_FOLDER, RULES_FILE } from "../project/project.ts";

/** The file that records names, numbers, and the hashes of written files. */
export const LOCK_FILE = "connect-rest-import.lock.json";

/** The hashes of the written files, by path. */
type Hashes = ReadonlyMap<string, string>;

/** Reads the lock of the previous import. */
export async function readLock(folder: string): Promise<{ names: Lock; files: Hashes } | undefined> {
  const path = join(folder, LOCK_FILE);
  const text = await readIfThere(path);
  if (text === undefined) return undefined;
  const names = Lock.parse(text, path);
  const files = member(JSON.parse(text) as Json, "files");
  const entries = Object.entries(isObject(files) ? files : {});
  return {
    names,
    files: new Map(entries.filter((entry): entry is [string, string] => typeof entry[1] === "string")),
  };
}

/**
 * Writes the imported files: `.proto` files always, unless one was changed by hand; project files only if
 * they do not exist.
 *
 * @returns the paths that were written
 */
export async function writeImported(
  { output, report }: { readonly output: string; readonly report: string | undefined },
  imported: Imported,
  before: Hashes = new Map(),
): Promise<string[]> {
  const protos = [...imported.files].filter(([path]) => path.endsWith(".proto"));
  const others = [...imported.files].filter(([path]) => !path.endsWith(".proto"));
  checkPackage(output, imported.package, before);
  const written = new Map(protos.map(([path, text]) => [`${PROTO_FOLDER}/${path}`, text]));
  for (const path of new Set([...before.keys(), ...written.keys()])) {
    await checkUnchanged(output, path, before.get(path));
  }
  for (const path of before.keys()) if (!written.has(path)) await rm(join(output, path), { force: true });
  for (const [path, text] of others) {
    if ((await readIfThere(join(output, path))) === undefined) written.set(path, text);
  }
  for (const [path, text] of written) await write(join(output, path), text);
  const hashes = protos.map(([path, text]) => [`${PROTO_FOLDER}/${path}`, hashOf(text)] as const);
  const lock = { ...(JSON.parse(imported.lock) as object), files: Object.fromEntries([...hashes].sort()) };
  await write(join(output, LOCK_FILE), `${JSON.stringify(lock, null, 1)}\n`);
  if (report !== undefined) await write(report, imported.report.print());
  return [...written.keys()];
}

/** Checks that the previous import had the same package. Otherwise this import would remove its files. */
function checkPackage(output: string, name: string, before: Hashes): void {
  const folder = `${PROTO_FOLDER}/${name.replaceAll(".", "/")}/`;
  const [other] = [...before.keys()].filter((path) => !path.startsWith(folder));
  if (other === undefined) return;
  throw new ImportError(
    join(output, LOCK_FILE),
    `was written by an import with the file ${other}, which is not in the package ${name}; pass the --package of that import, import another API with another --output, or delete this file and ${other} to rename the package`,
  );
}

/**
 * Returns advice on the adapters in a `connect-rest.yaml` that the import does not write again: adapters that
 * the file lacks, and adapters that are no longer generated. Adapters in comments count as listed.
 */
export async function adviceOnAdapters(
  output: string,
  { adapters }: Pick<Imported, "adapters">,
  before: Hashes = new Map(),
): Promise<readonly string[]> {
  const text = (await readIfThere(join(output, CONFIGURATION_FILE))) ?? "";
  const isListed = (adapter: string) => text.includes(adapter.slice("./".length));
  const earlier = [...before.keys()].map((path) => adapterOf(path.slice(`${PROTO_FOLDER}/`.length)));
  return [
    ...adapters
      .filter((adapter) => !isListed(adapter))
      .map(
        (adapter) =>
          `${CONFIGURATION_FILE} does not list ${adapter}; add it to adapters to serve its methods`,
      ),
    ...earlier
      .filter((adapter) => !adapters.includes(adapter) && isListed(adapter))
      .map((adapter) => `${CONFIGURATION_FILE} lists ${adapter}, which is no longer generated; remove it`),
  ];
}

async function checkUnchanged(output: string, path: string, hash: string | undefined): Promise<void> {
  if (!path.startsWith(`${PROTO_FOLDER}/`) || path.split("/").includes("..")) {
    throw new ImportError(
      LOCK_FILE,
      `names the file \`${path}\`, which no import writes; restore it from version control`,
    );
  }
  const text = await readIfThere(join(output, path));
  if (text === undefined || hashOf(text) === hash) return;
  const problem = hash === undefined ? "was not written by an import" : "was changed by hand";
  throw new ImportError(
    join(output, path),
    `${problem}; move what was added to ${RULES_FILE}, restore or delete the file, and import again`,
  );
}

async function write(path: string, text: string): Promise<void> {
  await mkdir(dirname(path), { recursive: true });
  await writeFile(path, text);
}

async function readIfThere(path: string): Promise<string | undefined> {
  try {
    return await readFile(path, "utf8");
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return undefined;
    throw error;
  }
}

function hashOf(text: string): string {
  return createHash("sha256").update(text).digest("hex");
}
