/** The printer's WebAssembly module. */
import { PRINTER } from "../gen/printer.ts";

/** The linear memory of WebAssembly, which the lib types of this project lack. */
interface Memory {
  readonly buffer: ArrayBuffer;
  grow(pages: number): number;
}

/** The exports of codec/printer/print.ts. Positions are addresses in linear memory. */
interface Exports {
  readonly memory: Memory;
  print(
    root: number,
    stack: number,
    from: number,
    to: number,
    output: number,
    maxLength: number,
    maxWork: number,
    depth: number,
  ): number;
}

interface WebAssemblyApi {
  readonly Module: new (bytes: Uint8Array) => object;
  readonly Instance: new (module: object, imports: object) => { readonly exports: unknown };
}

/** Returns the JSON of a message with a special form; undefined if the message has no JSON form. */
export type PrintOther = (id: number, bytes: Uint8Array) => Uint8Array | undefined;

/** The address of the first table, after the constants of the module. */
const FIRST_FREE = 8192;
const PAGE = 65_536;

/** An instance of the printer, and its memory. */
export class WasmInstance {
  readonly exports: Exports;
  /** The address of the next table. */
  free = FIRST_FREE;
  private buffer: ArrayBuffer;
  private u8: Uint8Array<ArrayBuffer>;
  private u32: Uint32Array;
  private kept: Uint8Array | undefined;

  /** @throws if WebAssembly is not available, or lacks a feature that the module needs */
  constructor(other: PrintOther) {
    const { Module, Instance } = (globalThis as unknown as { WebAssembly: WebAssemblyApi }).WebAssembly;
    const module = new Module(Buffer.from(PRINTER, "base64"));
    const number = {
      hostDouble: (value: number, at: number) => this.ascii(String(value), at),
    };
    const print = {
      hostOther: (id: number, from: number, to: number) => this.keep(other(id, this.bytes.slice(from, to))),
      hostTake: (at: number) => this.bytes.set(this.kept ?? [], at),
    };
    this.exports = new Instance(module, { number, print }).exports as Exports;
    this.buffer = this.exports.memory.buffer;
    this.u8 = new Uint8Array(this.buffer);
    this.u32 = new Uint32Array(this.buffer);
  }

  /** The whole memory, as a new array after the memory has grown. */
  get bytes(): Uint8Array<ArrayBuffer> {
    this.refresh();
    return this.u8;
  }

  /** The 32-bit words of the memory, by address / 4. */
  get words(): Uint32Array {
    this.refresh();
    return this.u32;
  }

  /** Ensures that at least `size` bytes are available. Throws RangeError when out of memory. */
  reserve(size: number): void {
    const missing = size - this.bytes.length;
    if (missing > 0) this.exports.memory.grow(Math.ceil(missing / PAGE));
  }

  /**
   * Reserves zeroed bytes permanently, at an address divisible by 8. Reads in blocks of 16 bytes may exceed
   * the reserved bytes.
   */
  allocate(size: number): number {
    const at = this.free;
    this.free = (at + size + 7) & ~7;
    this.reserve(this.free + 64);
    // input or output may have used the memory after the tables
    this.bytes.fill(0, at, this.free + 64);
    return at;
  }

  /** Replaces the views after the module has grown its memory. */
  private refresh(): void {
    const { buffer } = this.exports.memory;
    if (buffer === this.buffer) return;
    this.buffer = buffer;
    this.u8 = new Uint8Array(buffer);
    this.u32 = new Uint32Array(buffer);
  }

  private keep(json: Uint8Array | undefined): number {
    this.kept = json;
    return json === undefined ? -1 : json.length;
  }

  private ascii(text: string, at: number): number {
    const { bytes } = this;
    for (let i = 0; i < text.length; i++) bytes[at + i] = text.charCodeAt(i);
    return text.length;
  }
}
