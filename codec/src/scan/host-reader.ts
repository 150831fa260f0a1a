import type { FoundDifferences } from "../decode/difference.ts";
import type { WriteValue } from "../decode/kind-writer.ts";
import { ProtoWriter } from "../decode/proto-writer.ts";
import { parseJson, parseJsonVerbatim } from "../json/parse-json.ts";
import { FIELD, FIELD_HANDED } from "./layout.ts";
import type { WasmInstance } from "./wasm.ts";

const DIGIT = /\d/;

/** A field, as the JavaScript decoder writes it. */
interface HostField {
  readonly write: WriteValue;
  /** The name of the field in reports; `""` for a list item. */
  readonly name: string;
}

/** Reads single values for the scanner with the JavaScript decoder. */
export class HostReader {
  /** The differences in the values read, in the order of reading. */
  readonly found: FoundDifferences[] = [];
  private listAt: number | undefined;
  private readonly wasm: WasmInstance;
  private readonly fields = new Map<number, HostField>();
  private readonly out = new ProtoWriter();

  constructor(wasm: WasmInstance) {
    this.wasm = wasm;
    wasm.hostValue = (field, from, end, to, room, depth) => {
      try {
        return this.read(field, from, end, to, room, depth);
      } catch {
        // the JavaScript decoder throws the same error for the whole body
        return -1;
      }
    };
  }

  /**
   * Begins another body, or another part of a body.
   *
   * @param listAt the address of the next item of a list whose first items have been read. A value that
   *   encloses this list is incomplete.
   */
  begin(listAt?: number): void {
    this.found.length = 0;
    this.listAt = listAt;
  }

  /** Allows the scanner to hand over the values of a field. */
  add(field: number, write: WriteValue, name: string): void {
    this.fields.set(field, { write, name });
    const flags = field / 4 + FIELD.flags;
    this.wasm.words[flags] = (this.wasm.words[flags] ?? 0) | FIELD_HANDED;
  }

  private read(at: number, from: number, end: number, to: number, room: number, depth: number): number {
    const field = this.fields.get(at);
    const { out, wasm, listAt = -1 } = this;
    if (field === undefined || (from < listAt && listAt < end)) return -1;
    const text = wasm.text(from, end);
    const json = parseJson(text);
    out.startValue(depth, false);
    field.write(json, out, field.name);
    const isVerbatim = out.inexact || out.keptNumbers;
    // the decoder reads the whole body again if one value needs the notation of a number
    const isAsked = isVerbatim || (out.hasDifferences && DIGIT.test(text));
    const verbatim = isAsked ? parseJsonVerbatim(text) : undefined;
    if (verbatim !== undefined && !isVerbatim) return -1;
    if (isVerbatim) {
      out.startValue(depth, true);
      field.write(verbatim ?? json, out, field.name);
    }
    if (out.length >= room) return -1;
    out.copyTo(wasm.bytes, to);
    if (!out.hasDifferences) return out.length << 1;
    this.found.push(out.found());
    return (out.length << 1) | 1;
  }
}
