import { existsSync, readFileSync } from "node:fs";
import path from "node:path";
import { parse } from "yaml";

/** The record of an import, which contains the hashes of the files that it wrote. */
const LOCK = "connect-rest-import.lock.json";

/** A `.proto` file, or the reason why it cannot be changed. */
export type FoundFile =
  | { readonly path: string; readonly text: string; readonly problem?: undefined }
  | { readonly problem: string };

/** The `.proto` files of a project. */
export class ProtoFiles {
  /** The folders to which the names of files are relative. */
  readonly roots: readonly string[];
  /** The folder of buf.yaml, and the folders of its modules. */
  readonly workspace: string;
  readonly modules: readonly string[];
  private readonly folder: string;
  private readonly imported: ReadonlySet<string>;

  /**
   * @param folder the folder of the project
   * @param roots the folders of the files. Default: the modules in buf.yaml, or else `proto`
   */
  constructor(folder: string, roots: readonly string[] = []) {
    this.folder = folder;
    const hasOwn = roots.length === 0 && existsSync(path.join(folder, "proto"));
    this.workspace = (hasOwn ? undefined : workspaceAbove(path.resolve(roots[0] ?? folder))) ?? folder;
    this.modules = modulesOf(this.workspace);
    this.roots = roots.length > 0 ? roots.map((root) => path.resolve(root)) : this.modules;
    this.imported = importedFiles(folder);
  }

  /** Finds a file by the name that other files import. */
  find(name: string): FoundFile {
    const found = this.roots.map((root) => path.join(root, name)).find((file) => existsSync(file));
    if (found === undefined) {
      return { problem: `${name} is not in ${this.roots.join(", ")}; --proto names its folder` };
    }
    const relative = path.relative(this.folder, found);
    if (this.imported.has(relative.replaceAll("\\", "/"))) {
      return {
        problem: `connect-rest import writes ${relative}; change the OpenAPI document, and import it again`,
      };
    }
    if (/(?:^|[\\/])node_modules[\\/]/.test(relative)) return { problem: `${relative} belongs to a package` };
    return { path: found, text: readFileSync(found, "utf8") };
  }
}

/** Returns the nearest folder with a buf.yaml, of a folder and the folders above it. */
function workspaceAbove(folder: string): string | undefined {
  if (existsSync(path.join(folder, "buf.yaml"))) return folder;
  const parent = path.dirname(folder);
  return parent === folder ? undefined : workspaceAbove(parent);
}

function modulesOf(folder: string): readonly string[] {
  const file = path.join(folder, "buf.yaml");
  const config: unknown = existsSync(file) ? parse(readFileSync(file, "utf8")) : undefined;
  const modules = isObject(config) && Array.isArray(config.modules) ? config.modules : [];
  const paths = modules.flatMap((each) =>
    isObject(each) && typeof each.path === "string" ? [each.path] : [],
  );
  const isModule = paths.length === 0 && config !== undefined;
  return (isModule ? ["."] : paths.length > 0 ? paths : ["proto"]).map((each) => path.join(folder, each));
}

function importedFiles(folder: string): ReadonlySet<string> {
  const file = path.join(folder, LOCK);
  const lock: unknown = existsSync(file) ? JSON.parse(readFileSync(file, "utf8")) : undefined;
  return new Set(isObject(lock) && isObject(lock.files) ? Object.keys(lock.files) : []);
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null;
}
