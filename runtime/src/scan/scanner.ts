import { isUtf8 } from "node:buffer";
import { pool } from "../buffers/pool.ts";
import { type FoundDifferences, NO_DIFFERENCES } from "../decode/difference.ts";
import { Machine } from "./machine.ts";
import { readReports } from "./reports.ts";
import type { AnyDecode, ScanField } from "./scan-table.ts";
import { type Envelope, Tables } from "./tables.ts";

/** For objects that are open, half of it, and for keys that wait. */
const STACK_BYTES = 256 * 1024;
/** For keys that no field names. */
const REPORT_BYTES = 128 * 1024;
/** Zeros behind the input, since it is read in blocks. */
const ZEROS = 64;
/** Bodies beyond this are read in a memory of their own, which is dropped where no such body has come for a while. */
const MAX_USUAL_BYTES = 512 * 1024;
const LARGE_KEPT_MS = 10_000;
/** More tables than any process should need. */
const MAX_TABLE_BYTES = 64 * 1024 * 1024;
/**
 * What takes ten milliseconds, and below a hundred where it is made to take long. Larger bodies are read in turns of the event
 * loop, by the decoder.
 */
const MAX_BYTES = 8 * 1024 * 1024;

/** What a byte of JSON can cost at most, and the memory for the keys that have been there; see `checkJsonCost`. */
const MAX_COST_PER_BYTE = 8;
const KEY_BYTES = 128 * 1024;
const SEED = Math.floor(Math.random() * 2 ** 31);

/** What a body is, as the scanner knows it. */
export interface ScanPlan {
  readonly root: number;
}

/** Turns UTF-8 JSON into protobuf bytes in one pass, by WebAssembly. What is unusual it leaves to JavaScript. */
export class Scanner {
  private readonly machine = new Machine();
  private readonly tables = new Tables(this.machine);
  private readonly plans = new WeakMap<AnyDecode | ScanField, Map<string, ScanPlan>>();
  private found: FoundDifferences = NO_DIFFERENCES;
  private large: Machine | undefined;
  private largeTimer: NodeJS.Timeout | undefined;

  /** What a payload and what is around it are; made once. undefined where there is no room for more. */
  plan(payload: AnyDecode | ScanField, envelope: Envelope | "payload"): ScanPlan | undefined {
    const known = this.plans.get(payload) ?? new Map<string, ScanPlan>();
    this.plans.set(payload, known);
    const name = nameOf(envelope);
    const plan = known.get(name) ?? this.newPlan(payload, envelope);
    if (plan !== undefined) known.set(name, plan);
    return plan;
  }

  private newPlan(payload: AnyDecode | ScanField, envelope: Envelope | "payload"): ScanPlan | undefined {
    return this.machine.free > MAX_TABLE_BYTES ? undefined : { root: this.tables.body(payload, envelope) };
  }

  /** What was not as declared in the body that was scanned last: keys that no field names. */
  get differences(): FoundDifferences {
    return this.found;
  }

  /**
   * The response message in a body, in a buffer that may be released; undefined where JavaScript has to decode it.
   *
   * @param withStatus whether the envelope's status counts; then it has to be 200
   * @param maxCost what it may cost to read; see `checkJsonCost`
   */
  scan(
    bytes: Uint8Array,
    plan: ScanPlan,
    withStatus = true,
    maxCost = Number.POSITIVE_INFINITY,
  ): Uint8Array<ArrayBuffer> | undefined {
    if (bytes.length > MAX_BYTES || !isUtf8(bytes)) return undefined;
    try {
      return this.read(bytes, plan, withStatus, maxCost);
    } catch {
      // no memory, or no stack
      return undefined;
    }
  }

  /** Memory that has been used before costs a third of new one. */
  private largeMachine(): Machine {
    clearTimeout(this.largeTimer);
    this.largeTimer = setTimeout(() => {
      this.large = undefined;
    }, LARGE_KEPT_MS).unref();
    if (this.large?.free !== this.machine.free) this.large = new Machine(this.machine);
    return this.large;
  }

  private read(
    bytes: Uint8Array,
    { root }: ScanPlan,
    withStatus: boolean,
    maxCost: number,
  ): Uint8Array<ArrayBuffer> | undefined {
    const machine = bytes.length > MAX_USUAL_BYTES ? this.largeMachine() : this.machine;
    const stackEnd = align(machine.free) + STACK_BYTES;
    const input = stackEnd + REPORT_BYTES;
    const output = align(input + bytes.length + ZEROS);
    const end = align(output + Math.max(bytes.length * 2 + 4096, KEY_BYTES));
    machine.reserve(end + (end - output) + ZEROS);
    machine.bytes.set(bytes, input);
    machine.bytes.fill(0, input + bytes.length, input + bytes.length + ZEROS);
    const isCostly = bytes.length * MAX_COST_PER_BYTE > maxCost;
    if (isCostly && isTooCostly(machine, input, bytes.length, output, maxCost)) return undefined;
    machine.exports.setUp(align(machine.free), stackEnd, input, this.tables.structValue);
    const length = machine.exports.scan(input, bytes.length, root, output, end, end, withStatus);
    if (length < 0 || !this.isReported(machine)) return undefined;
    const message = pool.acquire(length);
    message.set(machine.bytes.subarray(output, output + length));
    return message;
  }

  /** Keeps the differences. false where they are for the decoder to find. */
  private isReported(machine: Machine): boolean {
    const length = machine.exports.reportsLength();
    this.found = NO_DIFFERENCES;
    if (length === 0) return true;
    const start = machine.exports.reportsStart();
    const found = readReports(machine, start, start + length, (field) => this.tables.nameOf(field));
    this.found = found ?? NO_DIFFERENCES;
    return found !== undefined;
  }
}

/** A text for each envelope. */
function nameOf(envelope: Envelope | "payload" | "status"): string {
  if (typeof envelope === "string") return envelope;
  return JSON.stringify([...envelope].map(([key, inner]) => [key, nameOf(inner)]));
}

/** @param room memory that is not in use */
function isTooCostly(
  { exports, bytes }: Machine,
  input: number,
  length: number,
  room: number,
  maxCost: number,
): boolean {
  bytes.fill(0, room, room + KEY_BYTES);
  return exports.cost(input, length, maxCost, room, SEED) < 0;
}

let shared: Scanner | "none" | undefined;

/** The scanner of this process; undefined where WebAssembly is not allowed. */
export function scanner(): Scanner | undefined {
  if (shared === undefined) {
    try {
      shared = new Scanner();
    } catch {
      // by --jitless, or a policy
      shared = "none";
    }
  }
  return shared === "none" ? undefined : shared;
}

function align(address: number): number {
  return (address + 63) & ~63;
}
