import type { JsonObject } from "../json/json.ts";
import type { EnumTable } from "../table/enum-table.ts";
import type { OneofMembers } from "../table/keys.ts";
import type { Field } from "./difference-writer.ts";
import type { FieldLayout, FieldTableOf, Target } from "./field-table.ts";
import { KeyWriter } from "./key-writer.ts";

/**
 * A writer that reads an object by the keys that are there. What it finds it puts in the order of the fields
 * first, so that a message has the same bytes and differences in whatever order its keys come.
 */
export class FieldWriter extends KeyWriter {
  /**
   * The values of the objects that are being read: for each field a place,
   * which is undefined until its key has come.
   */
  private readonly values: Field[] = [];
  /** A bit for each of these places that is taken; 32 in each. */
  private readonly marks: number[] = [];
  private valuesEnd = 0;
  private marksEnd = 0;
  /** Where the oneofs begin that are being written. */
  private oneofStarts: number[] = [];
  /** The member that is null of the oneof that begins there; 0 for none. */
  private nullField = 0;
  private nullStart = 0;

  override reset(exact = false, textual = false): void {
    super.reset(exact, textual);
    // left there by what was thrown
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
        // the lowest bit
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
   * Takes places for the fields of an object, and puts its values there;
   * returns the keys that no field names.
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
    // not `for in`, which looks for each key once more in an object of a hundred thousand
    for (const key of Object.keys(json)) {
      let target: Target | undefined = layout.targets.get(key);
      if (target === undefined) {
        others ??= [];
        others.push(key);
        continue;
      }
      const value = json[key];
      do {
        if (value !== undefined && (value !== null || target.isLast)) {
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

  /** Says that the members of a oneof come now, of which one may. */
  beginOneof(): void {
    this.oneofStarts.push(this.length);
  }

  /** Sees to it that of these members only the first one stays. */
  endOneof(json: JsonObject, members: OneofMembers): void {
    const start = this.oneofStarts.pop();
    if (start === undefined) return;
    if (this.nullField !== 0 && this.nullStart === start) {
      if (this.length === start) this.nullValue(this.nullField);
      this.nullField = 0;
    }
    this.onlyFirst(start, json, members);
  }

  /** google.protobuf.NullValue as a member of a oneof: null is its value where no other member has one. */
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

/** What a field holds of which several keys have come: the first that holds something. */
function firstOf(json: JsonObject, keys: readonly string[]): Field {
  let value: Field;
  for (const key of keys) {
    value = Object.hasOwn(json, key) ? json[key] : undefined;
    if (value !== undefined && value !== null) return value;
  }
  return value;
}
