import { EnumTable } from "../../codec/src/table/enum-table.ts";
import type { ScalarKind, TimeRule } from "../../codec/src/table/kinds.ts";
import {
  type ChoiceEntry,
  type Entry,
  type FieldEntry,
  type Key,
  type Kind,
  type MessageTable,
  table,
} from "../../codec/src/table/message-table.ts";
import { EmptyTable, ListValueTable, StructTable, ValueTable } from "../../codec/src/table/well-known.ts";
import type { Dice } from "./json-text.ts";

const COLOR = new EnumTable("Color", [
  [0, "NONE"],
  [1, "red", "RED"],
  [2, "blue", "42"],
  [-1, "minus"],
]);
const SCALARS: readonly ScalarKind[] = [
  "string", "textBytes", "bytes", "bool", "double", "float", "int32", "sint32", "uint32", "fixed32", "sfixed32", "int64",
  "sint64", "uint64", "fixed64", "sfixed64",
]; // biome-ignore format: a table
const TIMES: readonly TimeRule[] = ["seconds", "millis", "iso8601", "http_date", { pattern: "YYYY-MM-DD" }];
const KEYS = ["a", "b", "c", "is_x", "a_key_of_more_than_thirty_two_bytes", "é", "text", "type"];
/** The maximum nesting depth of tables, except for tables that contain themselves. */
const MAX_DEPTH = 3;

/** Returns the table of a random message, in which any two features of tables may occur together. */
export function randomTable(dice: Dice, depth = 0): MessageTable {
  const entries: Entry[] = [];
  const self = table(`test.Random${depth}`, () => entries);
  const keys = KEYS.filter(() => !dice.once(4));
  const nextKey = () => keys.pop() ?? `k${entries.length}`;
  let last = 0;
  const field = (...given: Key[]): FieldEntry => {
    last += dice.once(10) ? 1000 : 1;
    return [last, randomKind(dice, depth + 1, self), ...given];
  };
  for (let count = 1 + dice.of(7); count > 0; count--) {
    const key = nextKey();
    switch (dice.of(10)) {
      case 0:
        entries.push({ oneOf: [field(key), field(nextKey())] });
        break;
      case 1:
        entries.push(choice(key, () => field(nextKey()), dice.once(2)));
        break;
      case 2:
        entries.push(field({ path: `${dice.pick(["p", "q"])}.${key}` }));
        break;
      default: {
        const names = dice.once(4) ? [key, nextKey()] : [key];
        entries.push(field(...names));
        // another field may read the same keys
        if (dice.once(8)) entries.push(field(...names));
      }
    }
  }
  if (dice.once(2)) entries.push({ unknown: last + 1, ...(dice.once(2) && { struct: true as const }) });
  return self;
}

function choice(by: string, member: () => FieldEntry, hasOther: boolean): ChoiceEntry {
  const when = ["x", "y"].map((word) => ({ is: [word], as: member() }));
  return { choice: "choice", by: [by], when, ...(hasOther && { otherwise: member() }) };
}

function randomKind(dice: Dice, depth: number, self: MessageTable): Kind {
  const scalar = () => (dice.once(8) ? COLOR : dice.pick(SCALARS));
  const message = () => {
    if (depth >= MAX_DEPTH || dice.once(4)) return self;
    return dice.once(8) ? dice.pick([StructTable, EmptyTable]) : randomTable(dice, depth);
  };
  const kinds: ReadonlyArray<() => Kind> = [
    () => scalar(),
    () => message(),
    () => ({ list: message() }),
    () => ({ loose: { list: message() } }),
    () => ({ list: scalar(), ...(dice.once(3) && { commas: true as const }) }),
    () => ({ map: dice.once(2) ? scalar() : message() }),
    () => ({ time: dice.pick(TIMES), ...(dice.once(3) && { none: "0" }) }),
    () => dice.pick<Kind>(["duration", { duration: "iso8601" }, "fieldMask", { open: COLOR }]),
    () => ({ wrapper: dice.pick(SCALARS.filter((each) => each !== "textBytes")) }),
    () => ({ unwrap: [1, dice.once(2) ? { list: scalar() } : scalar()] }),
    () => ({ loose: dice.once(2) ? message() : scalar() }),
    () => ({ absent: ["n/a", "0"], of: scalar() }),
    () => ({ jsonText: dice.once(2) ? message() : scalar() }),
    () => dice.pick([ValueTable, ListValueTable]),
  ];
  return dice.once(3) ? scalar() : dice.pick(kinds)();
}
