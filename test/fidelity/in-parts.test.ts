import { readdirSync } from "node:fs";
import fc from "fast-check";
import { expect, test } from "vitest";
import type { FoundDifferences } from "../../codec/src/decode/difference.ts";
import { type Decode, ProtoWriter } from "../../codec/src/decode/proto-writer.ts";
import { joined, joinedDifferences } from "../../codec/src/decode/segment.ts";
import { JsonTooDeep, WrongShape } from "../../codec/src/decode/shape-writer.ts";
import { readingOf } from "../../codec/src/decode/table-decoder.ts";
import type { JsonObject, JsonValue } from "../../codec/src/json/json.ts";
import { MessageTable } from "../../codec/src/table/message-table.ts";
import { atOnce } from "../../codec/src/time/work.ts";

/** The decoders that read an object, from all generated tables, by table name. */
const DECODERS = new Map([...(await decodersOf("gen")), ...(await decodersOf("test/gen"))]);

async function decodersOf(folder: "gen" | "test/gen"): Promise<Array<readonly [string, Decode]>> {
  const root = new URL(`../../${folder}/`, import.meta.url);
  const files = readdirSync(root, { recursive: true, encoding: "utf8" }).filter((file) =>
    file.endsWith("_rest.ts"),
  );
  const all = await Promise.all(
    files.map(async (file) => {
      const module = (await import(new URL(file, root).href)) as Readonly<Record<string, unknown>>;
      return Object.entries(module)
        .flatMap(([name, value]) =>
          value instanceof MessageTable ? [[name, readingOf(value)] as const] : [],
        )
        .flatMap(([name, { from, decode }]) =>
          from === "object" ? [[`${folder}/${file} ${name}`, decode] as const] : [],
        );
    }),
  );
  return all.flat();
}

/**
 * Generates the JSON that a decoder reads: a random value of any type for each requested key, so that nested
 * messages are read too.
 */
class MadeUp {
  private readonly random: () => number;
  private readonly views = new WeakMap<object, object>();
  private left: number;

  constructor(seed: number, size: number) {
    let state = seed | 1;
    this.random = () => {
      state = Math.imul(state ^ (state >>> 15), 0x2c1b3c6d) + 0x9e3779b9;
      return ((state ^ (state >>> 13)) >>> 0) / 2 ** 32;
    };
    this.left = size;
  }

  /**
   * Returns a plain object, and a view of it. Reading a missing key of the view adds a random value to the
   * object.
   */
  object(): { readonly plain: JsonObject; readonly view: JsonObject } {
    const plain = this.newObject();
    return { plain, view: this.viewOf(plain) as JsonObject };
  }

  private newObject(): Record<string, JsonValue> {
    const names = ["a", "b", "1", "true", "zzz", "x-y"].filter(() => this.random() < 0.15);
    return Object.fromEntries(names.map((name) => [name, this.value()]));
  }

  private value(): JsonValue {
    this.left--;
    const chance = this.random();
    if (this.left < 0 || chance < 0.5) return this.scalar();
    if (chance < 0.75) return this.newObject();
    return Array.from({ length: Math.floor(this.random() * 9) }, () =>
      this.random() < 0.7 ? this.newObject() : this.value(),
    );
  }

  private scalar(): JsonValue {
    const texts = ["", "x", "12", "2025-11-01T11:00:00Z", "-1.5e3", "aGk=", "3.5s", "text", "\ud800", "a,b"];
    const all: readonly JsonValue[] = [
      ...texts,
      null,
      true,
      false,
      0,
      1,
      -7,
      1.5,
      2 ** 60,
      1e308,
      1767225600,
    ];
    return all[Math.floor(this.random() * all.length)] as JsonValue;
  }

  private viewOf(value: JsonValue | undefined): JsonValue | undefined {
    if (typeof value !== "object" || value === null) return value;
    const known = this.views.get(value);
    if (known !== undefined) return known as JsonValue;
    const view = Array.isArray(value)
      ? value.map((item) => this.viewOf(item))
      : this.proxyOf(value as JsonObject);
    this.views.set(value, view);
    return view as JsonValue;
  }

  private proxyOf(plain: JsonObject): JsonObject {
    const asked = new Set<string>(Object.keys(plain));
    const make = (target: JsonObject, key: string | symbol) => {
      if (typeof key !== "string" || asked.has(key) || this.left < 0) return;
      asked.add(key);
      if (key in Object.prototype || this.random() > 0.3) return;
      (target as Record<string, JsonValue>)[key] = this.value();
    };
    return new Proxy(plain, {
      get: (target, key) => {
        make(target, key);
        return this.viewOf(target[key as string]);
      },
      getOwnPropertyDescriptor: (target, key) => {
        make(target, key);
        return Reflect.getOwnPropertyDescriptor(target, key);
      },
    });
  }
}

interface Outcome {
  readonly bytes?: string;
  readonly found?: FoundDifferences;
  readonly error?: string;
  readonly flags: readonly boolean[];
}

function outcome(out: ProtoWriter, write: () => { bytes: Uint8Array; found: FoundDifferences }): Outcome {
  try {
    const { bytes, found } = write();
    return { bytes: Buffer.from(bytes).toString("hex"), found, flags: [out.inexact, out.keptNumbers] };
  } catch (error) {
    if (!(error instanceof JsonTooDeep || error instanceof WrongShape)) throw error;
    return { error: `${error.name}: ${error.message}`, flags: [] };
  }
}

/** Returns a decoder's results for an object that is decoded in one pass and in parts. */
function both(decode: Decode, json: JsonObject, depth: number, units: number, exact: boolean) {
  const whole = new ProtoWriter(depth);
  const parts = new ProtoWriter(depth, units);
  return {
    whole: outcome(whole, () => {
      whole.reset(exact);
      whole.root(json, decode);
      return { bytes: whole.finish(), found: whole.found() };
    }),
    parts: outcome(parts, () => {
      const segment = atOnce(
        parts.inParts(() => {
          parts.reset(exact);
          parts.root(json, decode);
        }),
      );
      return { bytes: atOnce(joined(segment)), found: joinedDifferences(segment) };
    }),
  };
}

function view(decode: Decode, made: { readonly view: JsonObject }): void {
  const out = new ProtoWriter();
  out.reset();
  try {
    decode(made.view, out);
  } catch (error) {
    if (!(error instanceof JsonTooDeep || error instanceof WrongShape)) throw error;
  }
}

test("property: each decoder gives the same result in parts of any size as in one pass", {
  timeout: 120_000,
}, () => {
  const options = fc.record({
    name: fc.constantFrom(...DECODERS.keys()),
    seed: fc.integer(),
    size: fc.integer({ min: 5, max: 300 }),
    depth: fc.constantFrom(100, 100, 100, 4, 6),
    units: fc.integer({ min: 1, max: 40 }),
    exact: fc.boolean(),
  });
  fc.assert(
    fc.property(options, ({ name, seed, size, depth, units, exact }) => {
      const decode = DECODERS.get(name) as Decode;
      const made = new MadeUp(seed, size).object();
      view(decode, made);
      const { whole, parts } = both(decode, made.plain, depth, units, exact);
      expect(parts, JSON.stringify(made.plain)).toStrictEqual(whole);
    }),
    { numRuns: 3_000, interruptAfterTimeLimit: 60_000 },
  );
});
