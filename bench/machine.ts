import { readFileSync } from "node:fs";
import { cpus } from "node:os";

/** The accumulated time of all processors of the machine, in microseconds. */
export interface MachineTime {
  readonly total: number;
  /** Time used by all processes of this machine. */
  readonly busy: number;
  /** Time taken by other machines on the same hardware; 0 if the kernel does not report it. */
  readonly stolen: number;
}

/** Microseconds per tick of /proc/stat (USER_HZ). */
const TICK_US = 10_000;

export function machineTime(): MachineTime {
  let [total, busy] = [0, 0];
  for (const { times } of cpus()) {
    const { user, nice, sys, irq, idle } = times;
    busy += (user + nice + sys + irq) * 1000;
    total += (user + nice + sys + irq + idle) * 1000;
  }
  const stolen = stolenTicks() * TICK_US;
  return { total: total + stolen, busy, stolen };
}

function stolenTicks(): number {
  try {
    // Fields: user nice system idle iowait irq softirq steal (proc_stat(5)).
    return Number(/^cpu +(?:\d+ ){7}(\d+)/.exec(readFileSync("/proc/stat", "utf8"))?.[1] ?? 0);
  } catch {
    return 0;
  }
}

/**
 * Returns the share of the processors that other processes used between two times. Subtracts the benchmark's
 * own use.
 */
export function othersShare(before: MachineTime, after: MachineTime, ownMicroseconds: number): number {
  const others = after.busy - before.busy + after.stolen - before.stolen - ownMicroseconds;
  return Math.max(0, others) / (after.total - before.total);
}
