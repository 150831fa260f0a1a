import { readFile } from "node:fs/promises";
import { text } from "node:stream/consumers";

/** Reads the value of `--data`: JSON, `@FILE`, or `-` for standard input. */
export async function readData(data: string): Promise<string> {
  if (data === "-") return await text(process.stdin);
  if (!data.startsWith("@")) return data;
  try {
    return await readFile(data.slice(1), "utf8");
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause);
    throw new Error(`--data ${data}: the file cannot be read: ${reason}`, { cause });
  }
}
