/** Reads the request messages of `call` and `explain`. */
import { isUtf8 } from "node:buffer";
import { readFile } from "node:fs/promises";
import { buffer } from "node:stream/consumers";
import type { DescMessage, DescMethod, MessageShape, Registry } from "@bufbuild/protobuf";
import { readJson } from "../protocol/read-json.ts";

/**
 * Reads the messages in `--data`: one JSON value or, for a method that streams requests, one value per line.
 *
 * @param data JSON, `@FILE`, or `-` for standard input
 */
export async function requestMessages(
  method: DescMethod,
  data: string,
  registry: Registry,
): Promise<MessageShape<DescMessage>[]> {
  const text = await textIn(data);
  const isStream = method.methodKind === "client_streaming" || method.methodKind === "bidi_streaming";
  const texts = isStream ? text.split("\n").filter((line) => line.trim() !== "") : [text];
  return texts.map((each, index) => {
    try {
      return readJson(method.input, each, { registry });
    } catch (error) {
      const place = texts.length > 1 ? `line ${index + 1} of --data` : "--data";
      throw new Error(`${place} is not a valid ${method.input.typeName}: ${messageOf(error)}`, {
        cause: error,
      });
    }
  });
}

async function textIn(data: string): Promise<string> {
  if (data !== "-" && !data.startsWith("@")) return data;
  const bytes = data === "-" ? await buffer(process.stdin) : await bytesOf(data);
  if (!isUtf8(bytes)) throw new Error(`--data ${data}: the JSON is not UTF-8`);
  return bytes.toString().replace(/^\ufeff/, "");
}

async function bytesOf(data: string): Promise<Buffer> {
  try {
    return await readFile(data.slice(1));
  } catch (cause) {
    throw new Error(`--data ${data}: the file cannot be read: ${messageOf(cause)}`, { cause });
  }
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
