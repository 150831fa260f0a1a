import { type FileHandle, open, rename } from "node:fs/promises";
import { VERSION } from "../version.ts";

/** The text between the entries of a HAR file and its end. */
const END = "\n]}}\n";

/** Options of the files of a recording. */
export interface HarFileOptions {
  /** The path of the file. */
  readonly file: string;
  /** The size at which another file begins, in bytes. */
  readonly maxFileBytes: number;
  /** The number of files that are kept, including the current one. */
  readonly maxFiles: number;
}

/**
 * Writes HAR files (HAR 1.2). The file is a complete document after each entry. A file that exists, or that
 * has reached its maximum size, is renamed: `recording.har` becomes `recording.har.1`, `.1` becomes `.2`, and
 * so on. Only the owner can read the files.
 */
export class HarFile {
  private readonly options: HarFileOptions;
  private handle: FileHandle | undefined;
  /** The position of the text after the last entry. */
  private end = 0;
  private isEmpty = true;

  constructor(options: HarFileOptions) {
    this.options = options;
  }

  /** Whether the next entry begins another file. */
  get isFull(): boolean {
    return this.handle === undefined || this.end >= this.options.maxFileBytes;
  }

  /** Begins another file. */
  async next(): Promise<void> {
    await this.close();
    const { file, maxFiles } = this.options;
    for (let number = maxFiles - 1; number > 0; number--) {
      await renameIfPresent(number === 1 ? file : `${file}.${number - 1}`, `${file}.${number}`);
    }
    const creator = { name: "connect-rest-runtime", version: VERSION };
    const head = `{"log":{"version":"1.2","creator":${JSON.stringify(creator)},"entries":[`;
    this.handle = await open(file, "w", 0o600);
    await this.handle.write(head + END, 0);
    this.end = Buffer.byteLength(head);
    this.isEmpty = true;
  }

  /** Appends an entry, which is one JSON object. */
  async append(entry: string): Promise<void> {
    const text = `${this.isEmpty ? "" : ","}\n${entry}`;
    await this.handle?.write(text + END, this.end);
    this.end += Buffer.byteLength(text);
    this.isEmpty = false;
  }

  async close(): Promise<void> {
    const { handle } = this;
    this.handle = undefined;
    await handle?.close();
  }
}

async function renameIfPresent(from: string, to: string): Promise<void> {
  try {
    await rename(from, to);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ENOENT") throw error;
  }
}
