import type { DescEnum } from "@bufbuild/protobuf";
import type { Difference } from "connect-rest-runtime";
import type { Place } from "../verify/locate.ts";
import { NO_SUCH_KEY, type Observer } from "../verify/verify.ts";
import { type Allowance, Shape } from "./shape.ts";

/** The maximum number of unknown keys of a message, and of unknown spellings of an enum. */
const MAX_KEYS = 100;
const MAX_SPELLINGS = 50;
const MAX_SHAPES = 20_000;

/** The samples of a key that no field reads. */
export type KeySamples = {
  /** The path of the key in the object of its message. */
  readonly path: ReadonlyArray<string | number>;
  readonly shape: Shape;
  /** The number of responses with the key, and the operations to which they belong. */
  count: number;
  readonly operations: Set<string>;
  hasPlaceholders: boolean;
};

/** The unknown keys of a message. */
export type MessageSamples = {
  readonly keys: Map<string, KeySamples>;
  /** The number of objects that the message reads. */
  objects: number;
  /** Whether the message has more unknown keys than are kept. */
  isCut: boolean;
};

/** The unknown values of an enum, with the number of responses that contain each. */
export type EnumSamples = {
  readonly desc: DescEnum;
  readonly spellings: Map<string | number, number>;
  isCut: boolean;
  hasPlaceholders: boolean;
};

/** Collects the values behind the differences of recordings. The memory that it needs is bounded. */
export class Samples implements Observer {
  readonly messages: Map<string, MessageSamples> = new Map();
  readonly enums: Map<string, EnumSamples> = new Map();
  private readonly allowance: Allowance = { shapes: MAX_SHAPES };
  /** The keys and spellings that the current response already had. */
  private readonly inSample = new Set<object | string>();
  /** The method that is the first to read a message in the current response. */
  private readonly readers = new Map<string, string>();
  private operation = "";
  private hasPlaceholders = false;

  sample(operation: string, hasPlaceholders: boolean): void {
    this.operation = operation;
    this.hasPlaceholders = hasPlaceholders;
    this.inSample.clear();
    this.readers.clear();
  }

  object(message: string, method: string): void {
    if (this.isFirst(message, method)) this.messageOf(message).objects++;
  }

  difference({ expected }: Difference, place: Place, method: string): void {
    const { message, field, value } = place;
    const values = field?.enum;
    if (values !== undefined && expected === `one of ${values.typeName}`) {
      if (this.isFirst(values.typeName, method)) this.spelling(values, value);
    } else if (expected === NO_SUCH_KEY && message !== undefined && this.isFirst(message, method)) {
      this.key(message, place);
    }
  }

  /** Returns the keys of a message that become fields. */
  newKeys(message: string): ReadonlySet<string> {
    const found = this.messages.get(message)?.keys.values() ?? [];
    return new Set(
      [...found].flatMap(({ path: [key, ...below] }) => (below.length === 0 ? [String(key)] : [])),
    );
  }

  /** Adds the values in an object that becomes a message with unknown keys. */
  merge(message: string, { keys }: Shape): void {
    for (const [key, shape] of keys) {
      this.messages
        .get(message)
        ?.keys.get(JSON.stringify([key]))
        ?.shape.addAll([shape]);
    }
  }

  /** Methods that share an operation decode the same response. */
  private isFirst(name: string, method: string): boolean {
    const reader = this.readers.get(name) ?? method;
    this.readers.set(name, reader);
    return reader === method;
  }

  private key(message: string, { keys: path = [], value }: Place): void {
    const found = this.messageOf(message);
    const name = JSON.stringify(path);
    if (!found.keys.has(name) && found.keys.size >= MAX_KEYS) {
      found.isCut = true;
      return;
    }
    const samples: KeySamples = found.keys.get(name) ?? {
      path,
      shape: new Shape(this.allowance),
      count: 0,
      operations: new Set(),
      hasPlaceholders: false,
    };
    found.keys.set(name, samples);
    if (value !== undefined) samples.shape.add(value);
    samples.hasPlaceholders ||= this.hasPlaceholders;
    samples.operations.add(this.operation);
    if (!this.inSample.has(samples)) samples.count++;
    this.inSample.add(samples);
  }

  private spelling(desc: DescEnum, value: Place["value"]): void {
    const found = this.enums.get(desc.typeName) ?? {
      desc,
      spellings: new Map(),
      isCut: false,
      hasPlaceholders: false,
    };
    this.enums.set(desc.typeName, found);
    found.hasPlaceholders ||= this.hasPlaceholders;
    if (typeof value !== "string" && typeof value !== "number") return;
    const key = `${desc.typeName} ${value}`;
    if (this.inSample.has(key)) return;
    this.inSample.add(key);
    const isKept = found.spellings.has(value) || found.spellings.size < MAX_SPELLINGS;
    found.isCut ||= !isKept;
    if (isKept) found.spellings.set(value, (found.spellings.get(value) ?? 0) + 1);
  }

  private messageOf(name: string): MessageSamples {
    const found = this.messages.get(name) ?? { keys: new Map(), objects: 0, isCut: false };
    this.messages.set(name, found);
    return found;
  }
}
