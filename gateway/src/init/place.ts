/** Checks the folder of a new project for files that must not be lost. */
import { existsSync, lstatSync, readdirSync, statSync } from "node:fs";
import path from "node:path";
import { InitError } from "./init-error.ts";

/**
 * Checks that a project can be written into a folder without replacing a file or writing through a link.
 *
 * @param files the paths of the project's files, from the folder
 * @throws InitError that names the file in the way
 */
export function checkPlace(folder: string, files: Iterable<string>): void {
  checkFolder(folder);
  for (const file of files) {
    const names = file.split("/");
    for (const depth of names.keys()) {
      checkEntry(folder, names.slice(0, depth + 1).join("/"), depth + 1 === names.length);
    }
  }
  // `clean: true` in buf.gen.yaml removes everything else in gen/.
  if (existsSync(path.join(folder, "buf.gen.yaml"))) return;
  const generated = path.join(folder, "gen");
  if (existsSync(generated) && readdirSync(generated).length > 0) {
    throw new InitError(
      `${generated} has files, which generation would remove; move them, or choose another folder`,
    );
  }
}

function checkFolder(folder: string): void {
  if (folder === "") {
    throw new InitError("the folder has an empty name; omit it to use the working directory");
  }
  const found = statSync(folder, { throwIfNoEntry: false });
  if (found !== undefined && !found.isDirectory()) {
    throw new InitError(`${folder} is a file; choose another folder`);
  }
}

function checkEntry(folder: string, entry: string, isFile: boolean): void {
  const place = path.join(folder, entry);
  const found = lstatSync(place, { throwIfNoEntry: false });
  if (found === undefined) return;
  if (found.isSymbolicLink()) {
    throw new InitError(
      `${place} is a link, which init does not follow; replace it, or choose another folder`,
    );
  }
  if (found.isDirectory() === isFile) {
    const [is, expected] = isFile ? ["a folder", "a file"] : ["a file", "a folder"];
    throw new InitError(
      `${place} is ${is}, but the project needs ${expected} there; move it, or choose another folder`,
    );
  }
}
