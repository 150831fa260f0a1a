/**
 * Compares both decoders with an exact model: for any spelling of a number, every type of field and every
 * place, the field holds the exact value or reports a difference.
 */
import { BinaryWriter } from "@bufbuild/protobuf/wire";
import fc from "fast-check";
import { expect, test } from "vitest";
import { EnumTable } from "../../codec/src/table/enum-table.ts";
import type { CountUnit, ScalarKind } from "../../codec/src/table/kinds.ts";
import { type FieldEntry, type Kind, table } from "../../codec/src/table/message-table.ts";
import { ValueTable } from "../../codec/src/table/well-known.ts";
import type { UnaryAdapter } from "../../runtime/src/adapter/adapter.ts";
import { decoded, methodReadBy, scanned } from "../scanner/both.ts";
import { FRACTION, LITERAL, shifted } from "./number-literals.ts";
import {
  decimalOf,
  type Expected,
  expectedBool,
  expectedDuration,
  expectedEnum,
  expectedFloating,
  expectedInteger,
  expectedString,
  expectedTime,
  expectedValue,
  INTEGER_KINDS,
  integerOf,
  type Spelling,
} from "./number-model.ts";

const FIELD = 7;
const COLLECTOR = 8;
const DECLARED = [0, 1, 2, 7];
const ENUM = new EnumTable(
  "test.Enum",
  DECLARED.map((number) => [number, `VALUE_${number}`] as const),
);
const UNITS: readonly CountUnit[] = ["seconds", "millis", "micros", "nanos"];

/** A type of field, and what it holds for a number. */
interface Type {
  readonly name: string;
  readonly kind: Kind;
  readonly expected: (literal: string, spelling: Spelling) => Expected;
}

const SCALARS: ReadonlyArray<Type & { readonly kind: ScalarKind }> = [
  ...INTEGER_KINDS.map((kind) => ({
    name: kind,
    kind,
    expected: (literal: string, spelling: Spelling) => expectedInteger(kind, literal, spelling),
  })),
  ...(["double", "float"] as const).map((kind) => ({
    name: kind,
    kind,
    expected: (literal: string, spelling: Spelling) => expectedFloating(kind, literal, spelling),
  })),
  { name: "bool", kind: "bool", expected: expectedBool },
];

const TYPES: readonly Type[] = [
  ...SCALARS,
  { name: "enum", kind: ENUM, expected: (literal, spelling) => expectedEnum(DECLARED, literal, spelling) },
  ...UNITS.map((unit) => ({
    name: `time in ${unit}`,
    kind: { time: unit },
    expected: (literal: string) => expectedTime(unit, literal),
  })),
  ...UNITS.map((unit) => ({
    name: `duration in ${unit}`,
    kind: { duration: unit },
    expected: (literal: string) => expectedDuration(unit, literal),
  })),
];

/** Types that read numbers, but not all strings, as numbers. */
const BARE_TYPES: readonly Type[] = [
  {
    name: "duration without a rule",
    kind: "duration",
    expected: (literal) => {
      const expected = expectedDuration("seconds", literal);
      return { ...expected, difference: expected.difference ?? "converted" };
    },
  },
  { name: "string", kind: "string", expected: expectedString },
  { name: "value", kind: ValueTable, expected: expectedValue },
];

/** A place of a value in a response. */
interface Place {
  readonly name: string;
  readonly kind: (kind: Kind) => Kind;
  readonly token: (literal: string) => string;
  readonly spelling: Spelling;
  /** Writes the field with a value. Undefined if the field is unset. */
  readonly write: (expected: Expected, out: BinaryWriter) => void;
  readonly isScalar?: true;
}

function plainly({ write }: Expected, out: BinaryWriter): void {
  write?.(out, FIELD);
}

function within(field: number, before: (out: BinaryWriter) => void = () => {}): Place["write"] {
  return ({ write }, out) => {
    if (write === undefined) return;
    out.tag(FIELD, 2).fork();
    before(out);
    write(out, field);
    out.join();
  };
}

function twice(expected: Expected, out: BinaryWriter): void {
  plainly(expected, out);
  plainly(expected, out);
}

const PLACES: readonly Place[] = [
  { name: "field", kind: (kind) => kind, token: (text) => text, spelling: "number", write: plainly },
  { name: "string", kind: (kind) => kind, token: (text) => `"${text}"`, spelling: "string", write: plainly },
  {
    name: "wrapper",
    kind: (kind) => ({ wrapper: kind as ScalarKind }),
    token: (text) => text,
    spelling: "number",
    write: within(1),
    isScalar: true,
  },
  {
    name: "list",
    kind: (kind) => ({ list: kind }),
    token: (text) => `[${text},${text}]`,
    spelling: "number",
    write: twice,
  },
  {
    name: "list in a string",
    kind: (kind) => ({ list: kind, commas: true }),
    token: (text) => `"${text},${text}"`,
    spelling: "number",
    write: twice,
    isScalar: true,
  },
  {
    name: "map",
    kind: (kind) => ({ map: kind }),
    token: (text) => `{"k":${text}}`,
    spelling: "number",
    write: within(2, (out) => out.tag(1, 2).string("k")),
  },
  {
    name: "JSON in a string",
    kind: (kind) => ({ jsonText: kind }),
    token: (text) => JSON.stringify(text),
    spelling: "number",
    write: plainly,
  },
];

const METHODS = new Map<string, UnaryAdapter>();

/** Reports whether a message collects unknown keys. A collector would also keep unknown enum values. */
function collects({ kind }: Type): boolean {
  return kind !== ENUM;
}

function methodOf(type: Type, place: Place): UnaryAdapter {
  const name = `${type.name} ${place.name}`;
  const known = METHODS.get(name);
  if (known !== undefined) return known;
  const field: FieldEntry = [FIELD, place.kind(type.kind), "key"];
  const made = methodReadBy(
    table("test.Field", () => (collects(type) ? [field, { unknown: COLLECTOR }] : [field])),
  );
  METHODS.set(name, made);
  return made;
}

/** Numbers next to the value, some of which make the decoder parse the response a second time. */
const OTHERS = fc.constantFrom(undefined, undefined, "1", "1.10", "9007199254740993", "[1e300,-0]", "1e-400");

interface Subject {
  readonly name: string;
  readonly token: string;
  readonly other: string | undefined;
  readonly write: Place["write"];
}

/** Checks both decoders with a body. */
function check(adapter: UnaryAdapter, { name, token, other, write }: Subject, expected: Expected) {
  const body = `{${other === undefined ? "" : `"other":${other},`}"key":${token}}`;
  const out = new BinaryWriter();
  write(expected, out);
  if (other !== undefined) {
    out.tag(COLLECTOR, 2).fork().tag(1, 2).string("other").tag(2, 2).string(other).join();
  }
  const hex = Buffer.from(out.finish()).toString("hex");
  const found = decoded(adapter, Buffer.from(body));
  expect([name, found.message], body).toEqual([name, hex]);
  const classes = new Set(found.differences.list.map((each) => each.class));
  const { difference } = expected;
  expect([name, [...classes]], body).toEqual([name, difference === undefined ? [] : [difference]]);
  const fast = scanned(adapter, Buffer.from(body));
  if (fast !== undefined) expect([name, fast], body).toEqual([name, found]);
}

const CELLS = PLACES.flatMap((place) => {
  const types: readonly Type[] =
    place.isScalar === true ? SCALARS : place.spelling === "string" ? TYPES : [...TYPES, ...BARE_TYPES];
  return types.map((type) => ({ type, place }));
});

test("property: any spelling of a number, in any type of field and any place, is held exactly or is reported", () => {
  fc.assert(
    fc.property(LITERAL, fc.constantFrom(...CELLS), OTHERS, (literal, { type, place }, other) => {
      const subject = {
        name: `${type.name} ${place.name}`,
        token: place.token(literal),
        other: collects(type) ? other : undefined,
        write: place.write,
      };
      check(methodOf(type, place), subject, type.expected(literal, place.spelling));
    }),
    { numRuns: 20_000 },
  );
});

test("property: a number in a header is held exactly or is reported", () => {
  fc.assert(
    fc.property(LITERAL, fc.constantFrom(...SCALARS), (literal, { kind, expected, name }) => {
      const adapter: UnaryAdapter = {
        ...methodReadBy(table("test.Field", () => [[1, "string", "key"]])),
        head: [[FIELD, kind, { header: "X-Number" }]],
      };
      const body = Buffer.from("{}");
      const out = new BinaryWriter();
      const { write, difference } = expected(literal, "number");
      write?.(out, FIELD);
      const found = decoded(adapter, body, undefined, { "x-number": literal });
      expect([name, literal, found.message]).toEqual([
        name,
        literal,
        Buffer.from(out.finish()).toString("hex"),
      ]);
      expect([name, literal, found.differences.list.map((each) => each.class)]).toEqual([
        name,
        literal,
        difference === undefined ? [] : [difference],
      ]);
      const other = scanned(adapter, body, undefined, { "x-number": literal });
      if (other !== undefined) expect(other).toEqual(found);
    }),
    { numRuns: 4_000 },
  );
});

/** The words that a rule compares with a number. */
const WORDS = ["0", "1", "7", "9007199254740993"];

/** Rules that compare a value with words, and whether the field is then set. */
const RULES: ReadonlyArray<readonly [name: string, adapter: UnaryAdapter, isSetByWord: boolean]> = [
  [
    "a discriminator",
    methodReadBy(
      table("test.Choice", () => [
        { choice: "one", by: ["key"], when: [{ is: WORDS, as: [FIELD, "string", "text"] }] },
        { unknown: COLLECTOR },
      ]),
    ),
    true,
  ],
  [
    "a condition",
    methodReadBy(
      table("test.Condition", () => [
        {
          choice: "one",
          when: [{ key: ["key"], is: WORDS, type: "number", as: [FIELD, "string", "text"] }],
        },
        { unknown: COLLECTOR },
      ]),
    ),
    true,
  ],
  [
    "an absent value",
    methodReadBy(
      table("test.Absent", () => [[FIELD, { absent: WORDS, of: "double" }, "key"], { unknown: COLLECTOR }]),
    ),
    false,
  ],
  [
    "no time",
    methodReadBy(
      table("test.None", () => [[FIELD, { time: "nanos", none: "7" }, "key"], { unknown: COLLECTOR }]),
    ),
    false,
  ],
];

test("property: a number equals a word of a rule only if its exact value does", () => {
  const near = fc
    .tuple(fc.constantFrom(...WORDS), FRACTION, fc.integer({ min: -25, max: 25 }))
    .map(([word, fraction, by]) => (by === 0 ? word : shifted(word, fraction, by, "e")));
  fc.assert(
    fc.property(
      fc.oneof(near, LITERAL),
      fc.constantFrom(...RULES),
      (literal, [name, adapter, isSetByWord]) => {
        const integer = integerOf(decimalOf(literal));
        const words = name === "no time" ? ["7"] : WORDS;
        const isWord = integer !== undefined && words.includes(String(integer));
        const body = Buffer.from(`{"key":${literal},"text":"a"}`);
        const found = decoded(adapter, body);
        const isLost = found.differences.list.some((each) => each.class === "lost");
        // the first tag is 3a for a string or a message, and 39 for a double
        const isSet = /^(?:3a|39)/.test(found.message);
        if (!isLost) expect([name, literal, isSet]).toEqual([name, literal, isWord === isSetByWord]);
        if (isLost) expect([name, literal, isWord]).toEqual([name, literal, isSetByWord && isWord]);
        const fast = scanned(adapter, body);
        if (fast !== undefined) expect([name, fast], literal).toEqual([name, found]);
      },
    ),
    { numRuns: 8_000 },
  );
});
