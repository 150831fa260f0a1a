import { call } from "./call.ts";
import type { Figure } from "./figure.ts";
import type { Subject } from "./world.ts";

/**
 * The highest processor time of the main thread per event-loop turn, in milliseconds. A bound on the latency
 * of other clients' calls would depend on the load of the machine.
 */
const TURN_MS = 100;

/** Makes a call that needs no upstream, and returns the duration. Throws if the call fails. */
export async function control(port: number): Promise<number> {
  const { status, ms, body } = await call(port, { path: "/grpc.health.v1.Health/Check", body: "{}" });
  if (status !== 200) throw new Error(`a health check got ${status}: ${body}`);
  return ms;
}

/** Returns the longest event-loop turn during an attack, while another client makes sequential calls. */
export async function longestTurnDuring(
  name: string,
  subject: Subject,
  attack: () => Promise<unknown>,
): Promise<Figure> {
  let isOver = false;
  let slowest = 0;
  await subject.longestTurn();
  const others = (async () => {
    while (!isOver) slowest = Math.max(slowest, await control(subject.port));
  })();
  try {
    await attack();
  } finally {
    isOver = true;
    await others;
  }
  return turnFigure(`longest turn during ${name}`, await subject.longestTurn(), {
    "slowest call, ms": slowest,
  });
}

/** Returns a figure for the longest event-loop turn, with the bound. */
export function turnFigure(name: string, value: number, beside: NonNullable<Figure["beside"]> = {}): Figure {
  return { name, unit: "CPU ms", value, bound: { atMost: TURN_MS }, beside };
}
