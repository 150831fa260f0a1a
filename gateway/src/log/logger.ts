import { createRequire } from "node:module";
import pino, { type DestinationStream, type Logger } from "pino";
import { standardError } from "./standard-streams.ts";

export type { Logger } from "pino";

const require = createRequire(import.meta.url);

/** The log levels, from most to least verbose. */
export const LOG_LEVELS = ["trace", "debug", "info", "warn", "error", "silent"] as const;
export type LogLevel = (typeof LOG_LEVELS)[number];

/**
 * Creates a logger that writes JSON lines to standard error, or colored lines to a terminal. Logging never
 * waits for the reader: if more than one megabyte is queued, lines are dropped, and a later warning reports
 * their number. Callers name every field of a line explicitly, so bodies, headers and credentials are never
 * logged. Every line contains the fields of `base`.
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

/** Returns a logger without output, for tests and embedding. */
export function silentLogger(): Logger {
  return pino({ level: "silent" });
}

function linesOfStandardError(): DestinationStream {
  const queue = standardError();
  if (!process.stderr.isTTY) return queue;
  // loaded only for terminals
  const { isColorSupported, prettyFactory }: typeof import("pino-pretty") = require("pino-pretty");
  const pretty = prettyFactory({ colorize: isColorSupported, translateTime: "SYS:HH:MM:ss.l" });
  return { write: (line) => queue.write(pretty(line)) };
}
