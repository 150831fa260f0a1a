import { call } from "./call.ts";
import type { Figure } from "./figure.ts";
import type { Subject } from "./world.ts";

/**
 * How much processor time of the main thread a turn of the event loop may take, in milliseconds. A bound on
 * the time of a call of another client would depend on the load of the machine.
 */
const TURN_MS = 100;

/** Makes a call that goes to no upstream, and returns its time. Throws when it is not served. */
export async function control(port: number): Promise<number> {
  const { status, ms, body } = await call(port, { path: "/grpc.health.v1.Health/Check", body: "{}" });
  if (status !== 200) throw new Error(`a health check got ${status}: ${body}`);
  return ms;
}

/** The longest turn of the event loop during an attack. Another client makes one call after the other. */
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

/** A turn of the event loop, with its bound. */
export function turnFigure(name: string, value: number, beside: NonNullable<Figure["beside"]> = {}): Figure {
  return { name, unit: "CPU ms", value, bound: { atMost: TURN_MS }, beside };
}
