import { availableParallelism } from "node:os";
import { type Config, readConfig } from "../config/load.ts";
import type { SandboxFlags } from "./configured-sandbox.ts";

/** How many processes serve. */
export type Workers = Config["server"]["workers"];

/** The options of `serve` that the primary process reads. */
export interface WorkersFlags extends SandboxFlags {
  readonly host?: string;
  readonly workers?: Workers;
}

/** How many processes are to serve. One where the configuration cannot be read: that one says why. */
export function workersOf({ config: file, workers }: WorkersFlags): number {
  const configured = workers ?? readConfig(file, process.env).config?.server.workers ?? 1;
  return configured === "auto" ? availableParallelism() : configured;
}
