import { createRequire } from "node:module";
import pino, { type DestinationStream, type Logger } from "pino";
import { standardError } from "./standard-streams.ts";

export type { Logger } from "pino";

const require = createRequire(import.meta.url);

/** From loud to quiet. */
export const LOG_LEVELS = ["trace", "debug", "info", "warn", "error", "silent"] as const;
export type LogLevel = (typeof LOG_LEVELS)[number];

/**
 * JSON lines on standard error, or coloured lines where that is a terminal. Nobody waits for their reader:
 * when a megabyte waits, further lines are dropped, and once it is read, a warning says how many. Callers
 * name every field of a line one by one: bodies, headers and credentials are in none.
 * Fields of `base` are in every line.
 */
export function createLogger(
  level: LogLevel,
  destination?: DestinationStream,
  base: Readonly<Record<string, number>> | null = null,
): Logger {
  const formatters = { level: (label: string) => ({ level: label }) };
  const options = { level, base, formatters, timestamp: pino.stdTimeFunctions.isoTime };
  if (destination !== undefined) return pino(options, destination);
  const log = pino(options, linesOfStandardError());
  standardError().onFlow((dropped) =>
    log.warn({ dropped }, "log lines dropped, standard error was not read"),
  );
  return log;
}

/** A logger that says nothing, for tests and embedding. */
export function silentLogger(): Logger {
  return pino({ level: "silent" });
}

function linesOfStandardError(): DestinationStream {
  const queue = standardError();
  if (!process.stderr.isTTY) return queue;
  // for people only
  const { isColorSupported, prettyFactory }: typeof import("pino-pretty") = require("pino-pretty");
  const pretty = prettyFactory({ colorize: isColorSupported, translateTime: "SYS:HH:MM:ss.l" });
  return { write: (line) => queue.write(pretty(line)) };
}
