import { call } from "./call.ts";

/**
 * A bound for a call of somebody else, while the process is made to work as hard as it can be,
 * in milliseconds.
 */
export const CONTROL_MS = 250;

/** A call that goes to no upstream: it shows how long the process is held. Throws when it is not served. */
export async function control(port: number): Promise<number> {
  const { status, ms, body } = await call(port, { path: "/grpc.health.v1.Health/Check", body: "{}" });
  if (status !== 200) throw new Error(`a health check got ${status}: ${body}`);
  return ms;
}

/** The slowest of the calls that are made, one after the other, while an attack goes on. */
export async function slowestBeside(port: number, attack: () => Promise<unknown>): Promise<number> {
  let isOver = false;
  let most = 0;
  const others = (async () => {
    while (!isOver) most = Math.max(most, await control(port));
  })();
  try {
    await attack();
  } finally {
    isOver = true;
    await others;
  }
  return most;
}
