/** Reads recordings: HAR files, and folders of JSON bodies. */
import { createReadStream } from "node:fs";
import { readdir, readFile, stat } from "node:fs/promises";
import path from "node:path";
import { ArrayFault, RecordTooLarge } from "connect-rest-runtime/recordings";
import { type Exchange, RecordingError, type Skipped } from "./exchange.ts";
import { exchangeOf } from "./har-entry.ts";
import { HarSplitter } from "./har-splitter.ts";

/** The maximum size of an entry of a HAR file, and of a body in a folder. */
export const MAX_ENTRY_BYTES: number = 256 * 1024 * 1024;

/** `name.json`, or `name.404.json` for a response with another status than 200. */
const BODY_NAME = /(?:\.([1-5]\d\d))?\.json$/;

/**
 * Yields the exchanges of a recording, and the reasons for entries without an exchange. A folder contains HAR
 * files, and JSON bodies in `package.Service/Method/`.
 *
 * @throws RecordingError
 */
export async function* exchangesIn(recording: string): AsyncGenerator<Exchange | Skipped, undefined> {
  const found = await guarded(recording, stat(recording));
  if (!found.isDirectory()) {
    yield* harExchanges(recording);
    return undefined;
  }
  const names = await guarded(recording, readdir(recording, { recursive: true }));
  for (const name of names.toSorted()) {
    const file = path.join(recording, name);
    if (name.endsWith(".har")) {
      yield* harExchanges(file);
    } else if (BODY_NAME.test(name)) {
      yield await bodyExchange(recording, name);
    }
  }
  return undefined;
}

async function* harExchanges(file: string): AsyncGenerator<Exchange | Skipped, undefined> {
  const splitter = new HarSplitter(MAX_ENTRY_BYTES);
  let entries = 0;
  try {
    for await (const chunk of createReadStream(file, { highWaterMark: 256 * 1024 })) {
      for (const text of splitter.texts(chunk as Buffer)) {
        entries++;
        yield exchangeOf(text);
      }
    }
  } catch (error) {
    if (error instanceof RecordTooLarge) {
      const limit = `${MAX_ENTRY_BYTES / 1024 / 1024} MiB`;
      throw new RecordingError(`${file}: entry ${entries + 1} is larger than ${limit}; remove that entry`);
    }
    if (error instanceof ArrayFault) {
      throw new RecordingError(`${file}: after entry ${entries}, the entries are not JSON: ${error.message}`);
    }
    if (isSystemError(error)) throw new RecordingError(`${file} cannot be read: ${error.message}`);
    throw error;
  }
  if (!splitter.isFound) {
    throw new RecordingError(`${file} is not a HAR file: it has no list log.entries (HAR 1.2)`);
  }
  if (!splitter.ended) {
    throw new RecordingError(`${file} is truncated after ${entries} complete entries; record it again`);
  }
  return undefined;
}

async function bodyExchange(folder: string, name: string): Promise<Exchange> {
  const file = path.join(folder, name);
  const [method, service] = path.dirname(path.resolve(file)).split(path.sep).toReversed();
  const { size } = await guarded(file, stat(file));
  if (size > MAX_ENTRY_BYTES) throw new RecordingError(`${file} is larger than ${MAX_ENTRY_BYTES} bytes`);
  const body = await guarded(file, readFile(file));
  const [, status = "200"] = BODY_NAME.exec(name) ?? [];
  const headers = { "content-type": "application/json" };
  return { method: `${service}/${method}`, response: { status: Number(status), headers, body } };
}

async function guarded<T>(file: string, work: Promise<T>): Promise<T> {
  try {
    return await work;
  } catch (error) {
    if (!isSystemError(error)) throw error;
    throw new RecordingError(`${file} cannot be read: ${error.message}`);
  }
}

function isSystemError(error: unknown): error is NodeJS.ErrnoException {
  return error instanceof Error && "code" in error && "syscall" in error;
}
