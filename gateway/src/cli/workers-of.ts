import { availableParallelism } from "node:os";
import { type Config, readConfig } from "../config/load.ts";
import type { SandboxFlags } from "./configured-sandbox.ts";

/** The number of serving processes. */
export type Workers = Config["server"]["workers"];

/** The options of `serve` that the primary process reads. */
export interface WorkersFlags extends SandboxFlags {
  readonly host?: string;
  readonly workers?: Workers;
}

/**
 * Returns the number of serving processes; returns one if the configuration cannot be read, because a single
 * process reports the error.
 */
export function workersOf({ config: file, workers }: WorkersFlags): number {
  const configured = workers ?? readConfig(file, process.env).config?.server.workers ?? 1;
  return configured === "auto" ? availableParallelism() : configured;
}
