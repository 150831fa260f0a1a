import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { brotliCompressSync, brotliDecompressSync, constants } from "node:zlib";
import { comparable } from "./comparable.ts";
import { FAST_PATH_CASES, type FastPathCase, LATE, STREAM_CASES } from "./fast-path-cases.ts";
import type { ObservedWay, WaySettings } from "./observed-ways.ts";
import { respondTalkatively } from "./talkative-upstream.ts";
import { UNUSUAL_HEADS } from "./unusual-heads.ts";

/**
 * The outcome of each call through connect's handlers: response, upstream requests, log lines and metrics.
 */
export type RecordedCalls = Readonly<Record<string, unknown>>;

/** JSON compressed with Brotli, because bodies repeat a lot. `record-calls.ts` writes this file. */
const FILE = join(import.meta.dirname, "recorded-calls.json.br");

/** The settings of the recorded gateway and of the gateway that is compared with it. */
export const RECORDED_SETTINGS: WaySettings = {
  upstream: { retry: { attempts: 3, baseDelayMs: 1, maxDelayMs: 1, budget: 1 } },
  limits: { readMaxBytes: 64 * 1024, writeMaxBytes: 256 * 1024, messageDepth: 20, drainNoticeMs: 1 },
  origins: ["https://page.example"],
};

/**
 * Calls with the same outcome in each run. Calls with a deadline are omitted, because their outcome varies on
 * a slow machine.
 */
export const RECORDED_CASES: readonly FastPathCase[] = [...FAST_PATH_CASES, ...STREAM_CASES, ...UNUSUAL_HEADS]
  .filter(({ name }) => !name.endsWith(LATE))
  .map(({ name, call }, index) => ({ name: `${name} (${index})`, call }));

/** Intended differences from the outcome through connect's handlers, with the reasons. */
const ON_PURPOSE: ReadonlyArray<readonly [reason: string, isMeant: (each: FastPathCase) => boolean]> = [
  [
    "a GET says what is wrong with its head before its message is decompressed, as a POST does",
    ({ name }) => /^GET over .*, a bad timeout: .*compression=(?:gzip|zstd)&message=%7B/.test(name),
  ],
  [
    "the adapter's bytes are sent as they are: connect's handlers decode them, and leave out what is empty",
    ({ name }) => /^GET \S+Echo, (?!a bad timeout).*: encoding=proto(?:&message=|&base64=1)? \(/.test(name),
  ],
  [
    "an error of 1 KB and more is compressed where the caller wants that, whatever it is about",
    ({ name }) =>
      /^application\/(?!grpc(?:\+| over)).*(?:uses "x{3000}"|a long timeout), accepts gzip \(/.test(name),
  ],
  [
    "a body without envelopes is said to be one, in place of the size that its first bytes would be",
    ({ name }) =>
      /^\S+ as "(?:Application\/GRPC|APPLICATION\/GRPC\+PROTO)" /.test(name) ||
      /^\S+(?:Repeat|List) as "Application\/Connect\+Proto" /.test(name),
  ],
  [
    "what is skipped, such as the caller's trailers, is not decompressed to be skipped",
    ({ name }) =>
      /(?:grpc-web.*: flags (?:129|255)|connect\+.*: flags (?:3|255)), (?:undefined|identity)/.test(name),
  ],
  [
    "bytes that are neither UTF-8 nor base64 are rejected: connect's handlers skip or replace them",
    ({ name }) =>
      /json over .*: text that is not UTF-8 /.test(name) ||
      /^GET .*: \S*(?:===|=%20e30=|e30=%0A|CgNh\+2I=|json&message=%FF) /.test(name),
  ],
];

/** Returns whether the outcome of a case differs intentionally. */
export function isOnPurpose(each: FastPathCase): boolean {
  return ON_PURPOSE.some(([, isMeant]) => isMeant(each));
}

/** Cases in which the number of bytes read from an oversized message varies. */
const RACE = / over 2: .*, a message too large /;

/** Returns the record of a case without values that vary between runs. */
export function comparableRecord({ name }: FastPathCase, record: unknown): unknown {
  if (!RACE.test(name)) return record;
  return JSON.parse(JSON.stringify(record).replace(/"bytesIn":\d+/g, '"bytesIn":0')) as unknown;
}

/** Makes a call, and returns the outcome to compare, without ports, which vary between runs. */
export async function recorded(way: ObservedWay, { call }: FastPathCase): Promise<unknown> {
  const seen = comparable(await way.send(call, respondTalkatively));
  const ports = new RegExp(`127\\.0\\.0\\.1:(?:${way.gateway.port}|${way.upstreamPort})`, "g");
  return JSON.parse(JSON.stringify(seen).replace(ports, "127.0.0.1:port")) as unknown;
}

export function readRecordedCalls(): RecordedCalls {
  return JSON.parse(brotliDecompressSync(readFileSync(FILE)).toString()) as RecordedCalls;
}

export function writeRecordedCalls(calls: RecordedCalls): void {
  const json = Buffer.from(JSON.stringify(calls));
  const { BROTLI_PARAM_LGWIN, BROTLI_PARAM_QUALITY, BROTLI_PARAM_LARGE_WINDOW } = constants;
  const params = { [BROTLI_PARAM_LGWIN]: 24, [BROTLI_PARAM_QUALITY]: 11, [BROTLI_PARAM_LARGE_WINDOW]: 0 };
  writeFileSync(FILE, brotliCompressSync(json, { params }));
}
