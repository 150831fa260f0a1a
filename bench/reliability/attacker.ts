import { next, startProcess } from "./world.ts";

/** An attacker in a separate process, because its work would delay timers in this process. */
export interface Attacker extends Disposable {
  /** Returns the number of steps so far. */
  done(): Promise<number>;
}

/** Starts `servers/flood.ts` or `servers/attacker.ts` with a kind of attack. */
export async function startAttacker(
  module: "flood" | "attacker",
  kind: string,
  port: number,
): Promise<Attacker> {
  const attacker = await startProcess<number>(module, [kind, String(port)]);
  return {
    done: async () => {
      const count = next<number>(attacker.process);
      attacker.process.send("done");
      return await count;
    },
    [Symbol.dispose]: () => attacker[Symbol.dispose](),
  };
}
