import pino, { type DestinationStream, type Logger } from "pino";
import { PinoPretty } from "pino-pretty";

export type { Logger } from "pino";

/** From loud to quiet. */
export const LOG_LEVELS = ["trace", "debug", "info", "warn", "error", "silent"] as const;
export type LogLevel = (typeof LOG_LEVELS)[number];

/**
 * JSON lines on standard error, or coloured lines where that is a terminal. Callers name every field of a line
 * one by one: bodies, headers and credentials are in none.
 */
export function createLogger(level: LogLevel, destination: DestinationStream = standardError()): Logger {
  const formatters = { level: (label: string) => ({ level: label }) };
  return pino({ level, base: null, formatters, timestamp: pino.stdTimeFunctions.isoTime }, destination);
}

/** A logger that says nothing, for tests and embedding. */
export function silentLogger(): Logger {
  return pino({ level: "silent" });
}

function standardError(): DestinationStream {
  if (!process.stderr.isTTY) return pino.destination({ dest: 2, sync: true });
  return PinoPretty({ destination: 2, sync: true, ignore: "pid,hostname", translateTime: "SYS:HH:MM:ss.l" });
}
