import { isUtf8 } from "node:buffer";
import { readFile } from "node:fs/promises";
import { buffer } from "node:stream/consumers";

/** Reads the value of `--data`: JSON, `@FILE`, or `-` for standard input. */
export async function readData(data: string): Promise<string> {
  if (data !== "-" && !data.startsWith("@")) return data;
  const bytes = data === "-" ? await buffer(process.stdin) : await bytesOf(data);
  if (!isUtf8(bytes)) throw new Error(`--data ${data}: the JSON is not UTF-8`);
  return bytes.toString().replace(/^\ufeff/, "");
}

async function bytesOf(data: string): Promise<Buffer> {
  try {
    return await readFile(data.slice(1));
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause);
    throw new Error(`--data ${data}: the file cannot be read: ${reason}`, { cause });
  }
}
