import { type DescMessage, ScalarType } from "@bufbuild/protobuf";
import {
  type EnumPlan,
  type FieldPlan,
  type MessagePlan,
  planOf,
  type ValuePlan,
  wireTypeOf,
} from "./plan.ts";
import type { WasmInstance } from "./wasm.ts";
import { ENUM_WORDS, FIELD_WORDS, FORM, KIND, MESSAGE_WORDS, NAME_WORDS, SHAPE } from "./wasm-layout.ts";

/** The lowest field number that is found by search. Smaller field numbers are array indexes. */
const MAX_DENSE = 1024;
/** The maximum number of oneofs in a message. Each takes one bit. */
const MAX_ONEOFS = 32;
/** A tag that no field has. protobuf-es prints a message whose table contains this tag. */
const NO_TAG = 0;
/** The multiplier that distributes enum numbers over the hash table. */
const SPREAD = 0x9e37_79b1;

const KIND_OF_SCALAR: Readonly<Record<ScalarType, number>> = {
  [ScalarType.STRING]: KIND.text,
  [ScalarType.BYTES]: KIND.bytes,
  [ScalarType.BOOL]: KIND.bool,
  [ScalarType.INT32]: KIND.int32,
  [ScalarType.UINT32]: KIND.uint32,
  [ScalarType.SINT32]: KIND.sint32,
  [ScalarType.FIXED32]: KIND.fixed32,
  [ScalarType.SFIXED32]: KIND.sfixed32,
  [ScalarType.INT64]: KIND.int64,
  [ScalarType.UINT64]: KIND.uint64,
  [ScalarType.SINT64]: KIND.sint64,
  [ScalarType.FIXED64]: KIND.fixed64,
  [ScalarType.SFIXED64]: KIND.sfixed64,
  [ScalarType.DOUBLE]: KIND.double,
  [ScalarType.FLOAT]: KIND.float,
};

/** Writes the plans of messages into the memory of the printer, each on its first use. */
export class Tables {
  /** The messages, indexed by the numbers that the printer uses for them. */
  readonly descs: DescMessage[] = [];
  private readonly wasm: WasmInstance;
  private readonly messages = new Map<MessagePlan, number>();
  private readonly enums = new Map<EnumPlan, number>();

  constructor(wasm: WasmInstance) {
    this.wasm = wasm;
  }

  /** Returns the table of a message. */
  message(desc: DescMessage): number {
    return this.planned(planOf(desc));
  }

  private planned(plan: MessagePlan): number {
    const known = this.messages.get(plan);
    if (known !== undefined) return known;
    const at = this.wasm.allocate(MESSAGE_WORDS * 4);
    const id = this.descs.push(plan.desc) - 1;
    // register the message before its fields, which may have the same type; until the fields are written,
    // protobuf-es prints the message
    this.messages.set(plan, at);
    this.fill(at, [FORM.other, id]);
    const head = [FORM[plan.form], id];
    if (plan.form === "wrapper") {
      const [field] = plan.fields;
      if (field !== undefined) this.fill(at, [...head, this.field(...field)]);
    } else {
      this.fill(at, plan.form === "fields" ? [...head, ...this.fields(plan.fields)] : head);
    }
    return at;
  }

  private fields(fields: MessagePlan["fields"]): number[] {
    const entries = [...fields]
      .sort(([a], [b]) => a - b)
      .map(([number, field]) => [number, this.field(number, field)]);
    const small = entries.filter(([number = 0]) => number < MAX_DENSE);
    const [largest = 0] = small.at(-1) ?? [];
    const dense = new Array<number>(largest + 1).fill(0);
    for (const [number = 0, at = 0] of small) dense[number] = at;
    const sparse = entries.slice(small.length);
    return [this.write(dense), dense.length, this.write(sparse.flat()), sparse.length];
  }

  private field(number: number, plan: FieldPlan): number {
    const { index, key, kind, value, mapKey, isImplicit, oneof } = plan;
    const valueTag = tagOf(kind === "map" ? 2 : number, value.wireType);
    const keyed = mapKey === undefined ? [0, NO_TAG] : [KIND_OF_SCALAR[mapKey], tagOf(1, wireTypeOf(mapKey))];
    const name = Buffer.concat([Buffer.from(","), key]);
    const words = [
      index,
      this.text(name),
      name.length,
      SHAPE[kind],
      kindOf(value),
      oneof < MAX_ONEOFS ? valueTag : NO_TAG,
      this.argument(value),
      isImplicit ? 1 : 0,
      oneof < 0 ? 0 : 1 << oneof,
      ...keyed,
    ];
    const at = this.wasm.allocate(FIELD_WORDS * 4);
    this.fill(at, words);
    return at;
  }

  private argument(value: ValuePlan): number {
    if (value.kind === "message") return this.planned(value.message);
    return value.kind === "enum" ? this.enumTable(value.values) : 0;
  }

  private enumTable(plan: EnumPlan): number {
    const known = this.enums.get(plan);
    if (known !== undefined) return known;
    let size = 4;
    while (size < plan.names.size * 2) size *= 2;
    const mask = size - 1;
    const rows = this.wasm.allocate(size * NAME_WORDS * 4);
    for (const [number, name] of plan.names) {
      let row = (Math.imul(number, SPREAD) >>> 8) & mask;
      while (this.wasm.words[rows / 4 + row * NAME_WORDS + 1] !== 0) row = (row + 1) & mask;
      this.fill(rows + row * NAME_WORDS * 4, [number, this.text(name), name.length]);
    }
    const at = this.wasm.allocate(ENUM_WORDS * 4);
    this.fill(at, [rows, mask, plan.zero, plan.isOpen ? 1 : 0, plan.isNull ? 1 : 0]);
    this.enums.set(plan, at);
    return at;
  }

  private text(bytes: Uint8Array): number {
    // the printer reads blocks of 16 bytes
    const at = this.wasm.allocate(bytes.length + 16);
    this.wasm.bytes.set(bytes, at);
    return at;
  }

  private write(words: readonly number[]): number {
    const at = this.wasm.allocate(words.length * 4);
    this.fill(at, words);
    return at;
  }

  private fill(at: number, words: readonly number[]): void {
    for (const [index, word] of words.entries()) this.wasm.words[at / 4 + index] = word;
  }
}

function kindOf(value: ValuePlan): number {
  if (value.kind === "message") return KIND.message;
  return value.kind === "enum" ? KIND.enum : KIND_OF_SCALAR[value.scalar];
}

function tagOf(number: number, wireType: number): number {
  return ((number << 3) | wireType) >>> 0;
}
