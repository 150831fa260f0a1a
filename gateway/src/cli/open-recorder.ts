import path from "node:path";
import { openRecording } from "connect-rest-runtime/recordings";
import type { Config } from "../config/load.ts";
import type { Logger } from "../log/logger.ts";

/** Begins the configured recording. */
export async function openRecorder(record: NonNullable<Config["record"]>, directory: string, log: Logger) {
  const file = path.resolve(directory, record.file);
  log.warn({ file }, "exchanges with upstreams are recorded in a file");
  return openRecording({ ...record, file, onProblem: (problem) => log.error({ problem }, "recording") });
}
