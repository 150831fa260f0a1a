import { next, startProcess } from "./world.ts";

/** One who attacks a port, in another process: the attack would hold up the clock here. */
export interface Attacker extends Disposable {
  /** How often it did so until now. */
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
