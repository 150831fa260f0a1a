import { readFile, realpath, stat } from "node:fs/promises";
import { isAbsolute, relative, sep } from "node:path";
import { fileURLToPath } from "node:url";
import { ImportError } from "../problem.ts";

/** The maximum size of a file. The largest public documents have 50 MB. */
const MAX_BYTES = 128 * 2 ** 20;
const REMOTE_TIMEOUT_MS = 30_000;

/** A file that a reference leads to. */
interface Read {
  readonly name: string;
  readonly text: string;
}

/** Reads the files that references lead to: files in the allowed folders, and remote files if allowed. */
export class Reader {
  private readonly folder: string | undefined;
  private readonly allowRemote: boolean;
  private readonly allowedFolders: readonly string[];

  /**
   * @param folder the real path of the folder of the first document; undefined if the document is not in a
   *   folder
   * @param allowedFolders the real paths of other folders from which files are read
   */
  constructor(folder: string | undefined, allowRemote: boolean, allowedFolders: readonly string[] = []) {
    this.folder = folder;
    this.allowRemote = allowRemote;
    this.allowedFolders = allowedFolders;
  }

  /** @param place the position of the reference, for messages */
  async read(url: URL, place: string): Promise<Read> {
    if (url.protocol === "file:") return await this.readFile(url, place);
    if (url.protocol !== "https:" && url.protocol !== "http:") {
      throw new ImportError(place, `\`${url.href}\` is neither a file nor an address of the web`);
    }
    if (!this.allowRemote) {
      throw new ImportError(
        place,
        `the reference leads to ${url.href}, which is not fetched; allow it with --allow-remote, or download it into the folder of the document`,
      );
    }
    return { name: url.href, text: await fetchText(url, place) };
  }

  private async readFile(url: URL, place: string): Promise<Read> {
    const path = await realPathOf(url, place);
    const folders = [...(this.folder === undefined ? [] : [this.folder]), ...this.allowedFolders];
    if (!folders.some((folder) => isBelow(folder, path))) {
      throw new ImportError(
        place,
        `the reference leads to ${url.pathname}, outside of the folder of the document; move the file below that folder, or allow its folder with --allow-path`,
      );
    }
    const name = this.folder === undefined ? path : relative(this.folder, path);
    return { name: name.split(sep).join("/"), text: await readText(path, place) };
  }
}

function isBelow(folder: string, path: string): boolean {
  const name = relative(folder, path);
  return name !== ".." && !name.startsWith(`..${sep}`) && !isAbsolute(name);
}

/** Reads a file, up to the maximum size. */
export async function readText(path: string, place: string): Promise<string> {
  const { size } = await stat(path);
  if (size > MAX_BYTES) throw tooLarge(place, size);
  return await readFile(path, "utf8");
}

async function realPathOf(url: URL, place: string): Promise<string> {
  try {
    const path = await realpath(fileURLToPath(url));
    if ((await stat(path)).isFile()) return path;
  } catch {
    // said below
  }
  throw new ImportError(place, `the reference leads to ${url.pathname}, which is not a file; correct it`);
}

async function fetchText(url: URL, place: string): Promise<string> {
  try {
    const response = await fetch(url, { signal: AbortSignal.timeout(REMOTE_TIMEOUT_MS) });
    const { status } = response;
    if (!response.ok) throw new ImportError(place, `${url.href} responded with ${status}; expected 200`);
    return await limitedText(response, place);
  } catch (error) {
    if (error instanceof ImportError) throw error;
    const cause = error instanceof Error ? error.message : String(error);
    throw new ImportError(place, `${url.href} cannot be fetched: ${cause}`);
  }
}

async function limitedText(response: Response, place: string): Promise<string> {
  const pieces: Uint8Array[] = [];
  let size = 0;
  for await (const piece of response.body ?? []) {
    size += piece.length;
    if (size > MAX_BYTES) throw tooLarge(place, size);
    pieces.push(piece);
  }
  return Buffer.concat(pieces).toString("utf8");
}

function tooLarge(place: string, size: number): ImportError {
  return new ImportError(place, `the file has ${size} bytes or more; at most ${MAX_BYTES} are read`);
}
