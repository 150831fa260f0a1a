import { setImmediate as nextTurn } from "node:timers/promises";
import { matchesMethod } from "../call/difference-levels.ts";
import type { RecordableCall, Recorder } from "../call/options.ts";
import { checkNames } from "../errors/check-option.ts";
import { restError } from "../errors/rest-error.ts";
import type { RequestTrace } from "../explain/call-trace.ts";
import { HarFile } from "./har-file.ts";
import { harEntry } from "./har-writer.ts";
import { Placeholders } from "./placeholder.ts";
import { RecordedRequest } from "./recorded-request.ts";
import { RecordingReader } from "./recording-reader.ts";

const MIB = 1024 * 1024;
/** The maximum size of the bodies of exchanges that run or wait to be written. */
const MAX_HELD_BYTES = 32 * MIB;
/** The maximum number of exchanges that wait to be written. */
const MAX_WAITING = 1000;

/** Options of a recording. */
export interface RecordingOptions {
  /** The path of the HAR file. An existing file is renamed: `recording.har` becomes `recording.har.1`. */
  readonly file: string;
  /** The share of calls that are recorded, from 0 to 1. Default: 1. */
  readonly share?: number | undefined;
  /**
   * The methods to record: `package.Service/Method`, `package.Service`, or a prefix followed by `*`. Default:
   * all methods.
   */
  readonly methods?: readonly string[] | undefined;
  /** The statuses of the responses to record: numbers, or classes such as `5xx`. Default: all statuses. */
  readonly statuses?: ReadonlyArray<number | string> | undefined;
  /** Whether only responses that differ from their description are recorded. Default: false. */
  readonly onlyDifferences?: boolean | undefined;
  /**
   * Whether values that the description does not declare are recorded. By default, placeholders of the same
   * JSON type and notation take their place. Credentials and values of fields marked `redact` are never
   * recorded.
   */
  readonly values?: boolean | undefined;
  /** The maximum size of a body. Larger bodies are omitted. Default: 256 KiB; maximum: 4 MiB. */
  readonly maxBodyBytes?: number | undefined;
  /** The size at which another file begins. Default: 64 MiB. */
  readonly maxFileBytes?: number | undefined;
  /** The number of files that are kept. Default: 5. */
  readonly maxFiles?: number | undefined;
  /**
   * Called with a text when the recording stops because of an error, and when exchanges are first dropped.
   */
  readonly onProblem?: ((problem: string) => void) | undefined;
}

/** A recording in progress. */
export interface Recording extends Recorder {
  /** The number of exchanges that were not recorded because too many were waiting. */
  readonly dropped: number;
  /** Writes the waiting exchanges, and closes the file. */
  close(): Promise<void>;
}

/**
 * Begins a recording. Pass the result to `createRest` as `recorder`.
 *
 * @throws ConnectError reason OPTION_INVALID; Error if the file cannot be created
 */
export async function openRecording(options: RecordingOptions): Promise<Recording> {
  const recording = new HarRecording(checked(options));
  await recording.open();
  return recording;
}

type Settings = {
  readonly [K in keyof Omit<RecordingOptions, "onProblem">]-?: NonNullable<RecordingOptions[K]>;
} & Pick<RecordingOptions, "onProblem">;

const DEFAULTS = {
  ...{ share: 1, methods: [], statuses: [], onlyDifferences: false, values: false },
  ...{ maxBodyBytes: MIB / 4, maxFileBytes: 64 * MIB, maxFiles: 5 },
};

class HarRecording implements Recording {
  dropped = 0;
  private readonly settings: Settings;
  private readonly file: HarFile;
  private readonly reader = new RecordingReader();
  private placeholders = new Placeholders();
  private isBroken = false;
  private isClosed = false;
  private waiting = 0;
  private heldBytes = 0;
  private writing: Promise<void> = Promise.resolve();

  constructor(settings: Settings) {
    this.settings = settings;
    this.file = new HarFile(settings);
  }

  open(): Promise<void> {
    return this.file.next();
  }

  start(call: RecordableCall): RequestTrace | undefined {
    const { methods, share } = this.settings;
    const { method } = call.adapter;
    if (this.isBroken || this.isClosed || (share < 1 && Math.random() >= share)) return undefined;
    if (methods.length > 0 && !methods.some((pattern) => matchesMethod(pattern, method))) return undefined;
    return {
      isDry: false,
      through: (requester, origin, credentials) => ({
        dispatch: (sent, handler) => {
          const { maxBodyBytes } = this.settings;
          const parts = { sent, handler, origin, credentials };
          const end = (request: RecordedRequest) => this.ended(call, request);
          return requester.dispatch(sent, new RecordedRequest(parts, call.clock, this, maxBodyBytes, end));
        },
      }),
    };
  }

  take(bytes: number): boolean {
    if (this.heldBytes + bytes > MAX_HELD_BYTES) return false;
    this.heldBytes += bytes;
    return true;
  }

  giveBack(bytes: number): void {
    this.heldBytes -= bytes;
  }

  async close(): Promise<void> {
    this.isClosed = true;
    await this.writing;
    await this.file.close();
  }

  private ended(call: RecordableCall, request: RecordedRequest): void {
    if (this.isBroken || this.isClosed || this.waiting >= MAX_WAITING) {
      request.taken();
      if (this.waiting >= MAX_WAITING && this.dropped++ === 0) {
        this.settings.onProblem?.("exchanges arrive faster than they are recorded; some are not recorded");
      }
      return;
    }
    this.waiting++;
    this.writing = this.writing.then(async () => {
      try {
        await nextTurn();
        await this.write(call, request);
      } catch (error) {
        this.isBroken = true;
        this.settings.onProblem?.(`the recording ${this.settings.file} has stopped: ${String(error)}`);
      } finally {
        this.waiting--;
      }
    });
  }

  private async write(call: RecordableCall, request: RecordedRequest): Promise<void> {
    const response = request.taken();
    const { settings, reader } = this;
    if (response === undefined || this.isBroken || !hasStatus(settings.statuses, response.status)) return;
    if (this.file.isFull) {
      await this.file.next();
      this.placeholders = new Placeholders();
    }
    const placeholders = settings.values ? undefined : this.placeholders;
    const { entry, isDifferent } = await harEntry(call, { request, response }, reader, placeholders);
    if (isDifferent || !settings.onlyDifferences) await this.file.append(entry);
  }
}

function hasStatus(statuses: Settings["statuses"], status: number): boolean {
  return (
    statuses.length === 0 ||
    statuses.some((each) => String(each) === String(status) || each === `${Math.floor(status / 100)}xx`)
  );
}

function checked(options: RecordingOptions): Settings {
  checkNames(options, [...Object.keys(DEFAULTS), "file", "onProblem"], invalid);
  const settings = { ...DEFAULTS, ...withoutUndefined(options) } as Settings;
  const { file, share, maxBodyBytes, maxFileBytes, maxFiles, methods, statuses } = settings;
  if (typeof file !== "string" || file === "") throw invalid("file", "a path", String(file));
  if (!(share >= 0 && share <= 1)) throw invalid("share", "a number from 0 to 1", String(share));
  const sizes = { maxBodyBytes, maxFileBytes, maxFiles };
  for (const [name, value] of Object.entries(sizes)) {
    if (!Number.isInteger(value) || value < 1) throw invalid(name, "a positive integer", String(value));
  }
  if (maxBodyBytes > 4 * MIB) throw invalid("maxBodyBytes", "at most 4194304", String(maxBodyBytes));
  if (!Array.isArray(methods)) throw invalid("methods", "a list", String(methods));
  if (!Array.isArray(statuses)) throw invalid("statuses", "a list", String(statuses));
  for (const each of statuses) {
    if (!/^[1-5](?:\d\d|xx)$/.test(String(each))) {
      throw invalid("statuses", "a list of statuses, e.g. 404 or 5xx", String(each));
    }
  }
  return settings;
}

function withoutUndefined<T extends object>(options: T): Partial<T> {
  return Object.fromEntries(Object.entries(options).filter(([, value]) => value !== undefined)) as Partial<T>;
}

function invalid(option: string, expected: string, got: string): Error {
  return restError("OPTION_INVALID", { option, expected, got });
}
