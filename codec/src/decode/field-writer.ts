import type { JsonObject } from "../json/json.ts";
import type { EnumTable } from "../table/enum-table.ts";
import type { OneofMembers } from "../table/keys.ts";
import type { Field } from "./difference-writer.ts";
import type { FieldLayout, FieldTableOf, Target } from "./field-table.ts";
import { KeyWriter } from "./key-writer.ts";

/**
 * A writer that iterates over the keys of an object. It first sorts the values into the order of the fields,
 * so that the order of keys does not change the bytes or the differences of a message.
 */
export class FieldWriter extends KeyWriter {
  /** The values of the objects in progress: one slot for each field, undefined until its key arrives. */
  private readonly values: Field[] = [];
  /** A bit for each occupied slot, 32 per word. */
  private readonly marks: number[] = [];
  private valuesEnd = 0;
  private marksEnd = 0;
  /** The start positions of the oneofs in progress. */
  private oneofStarts: number[] = [];
  /** The number of the null member in the current oneof; 0 if the oneof has no such member. */
  private nullField = 0;
  private nullStart = 0;

  override reset(exact = false, textual = false): void {
    super.reset(exact, textual);
    // an exception left values in the slots
    if (this.valuesEnd > 0) this.values.fill(undefined);
    this.valuesEnd = 0;
    this.marksEnd = 0;
    if (this.oneofStarts.length > 0) this.oneofStarts = [];
    this.nullField = 0;
  }

  /** Writes the fields of an object, in the order of their table. */
  fields(json: JsonObject, table: FieldTableOf<this>): void {
    const { values, marks, valuesEnd, marksEnd } = this;
    const { layout } = table;
    const others = this.find(json, layout);
    for (let index = 0; index < layout.always.length; index++) {
      const at = marksEnd + index;
      for (let mark = marks[at] as number; mark !== 0; mark &= mark - 1) {
        // the index of the lowest bit
        const rank = index * 32 + 31 - Math.clz32(mark & -mark);
        const value = values[valuesEnd + rank];
        values[valuesEnd + rank] = undefined;
        layout.writes[rank]?.(value, this, layout.names[rank] as string, json);
      }
    }
    this.valuesEnd = valuesEnd;
    this.marksEnd = marksEnd;
    this.leaveKeys(json, table, others);
  }

  /**
   * Allocates slots for the fields of an object and stores the values in them. Returns the keys that no field
   * reads.
   */
  private find(json: JsonObject, layout: FieldLayout<this>): string[] | undefined {
    const { values, marks, valuesEnd, marksEnd } = this;
    this.valuesEnd += layout.writes.length;
    this.marksEnd += layout.always.length;
    while (values.length < this.valuesEnd) values.push(undefined);
    for (let index = 0; index < layout.always.length; index++) {
      marks[marksEnd + index] = layout.always[index] as number;
    }
    let others: string[] | undefined;
    // not `for in`, which looks up each key a second time in an object with a hundred thousand keys
    for (const key of Object.keys(json)) {
      let target: Target | undefined = layout.targets.get(key);
      if (target === undefined) {
        others ??= [];
        others.push(key);
        continue;
      }
      const value = json[key];
      do {
        if (value !== undefined) {
          const rank: number = target.rank;
          const at = valuesEnd + rank;
          values[at] =
            values[at] === undefined ? value : firstOf(json, layout.keys[rank] as readonly string[]);
          marks[marksEnd + (rank >>> 5)] = (marks[marksEnd + (rank >>> 5)] as number) | (1 << (rank & 31));
        }
        target = target.next;
      } while (target !== undefined);
    }
    return others;
  }

  /** Begins a oneof, at most one of whose members may be set. */
  beginOneof(): void {
    this.oneofStarts.push(this.length);
  }

  /** Ends a oneof: only the first member written is kept. */
  endOneof(json: JsonObject, members: OneofMembers): void {
    const start = this.oneofStarts.pop();
    if (start === undefined) return;
    if (this.nullField !== 0 && this.nullStart === start) {
      if (this.length === start) this.nullValue(this.nullField);
      this.nullField = 0;
    }
    this.onlyFirst(start, json, members);
  }

  /**
   * Writes google.protobuf.NullValue as a member of a oneof: null is its value unless another member has a
   * value.
   */
  nullMember(field: number, value: Field, key: string, table: EnumTable): void {
    const start = this.oneofStarts.at(-1);
    if (value !== null || start === undefined) {
      this.enum(field, value, key, table);
    } else if (this.nullField === 0 || this.nullStart !== start) {
      this.nullField = field;
      this.nullStart = start;
    }
  }
}

/** Returns the value of a field that arrived under several keys: the first one that is not null. */
function firstOf(json: JsonObject, keys: readonly string[]): Field {
  for (const key of keys) {
    const value = Object.hasOwn(json, key) ? json[key] : undefined;
    if (value !== undefined && value !== null) return value;
  }
  return null;
}
