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
    this.end = 0;
    await this.write(head);
    this.isEmpty = true;
  }

  /** Appends an entry, which is one JSON object. */
  async append(entry: string): Promise<void> {
    await this.write(`${this.isEmpty ? "" : ","}\n${entry}`);
    this.isEmpty = false;
  }

  private async write(text: string): Promise<void> {
    const { handle, end } = this;
    if (handle === undefined) return;
    const bytes = Buffer.from(text + END);
    try {
      // a disk that is nearly full takes a part of the bytes, without an error
      for (let at = 0; at < bytes.length; ) {
        at += (await handle.write(bytes, at, bytes.length - at, end + at)).bytesWritten;
      }
    } catch (error) {
      // the text overwrote the end of the document
      await handle.truncate(end);
      if (end > 0) await handle.write(END, end);
      throw error;
    }
    this.end = end + bytes.length - END.length;
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
