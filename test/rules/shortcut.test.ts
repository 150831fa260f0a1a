import {
  create,
  createFileRegistry,
  type DescField,
  type DescMessage,
  type MessageInitShape,
  type MessageShape,
  ScalarType,
  setExtension,
} from "@bufbuild/protobuf";
import {
  FieldOptionsSchema,
  FileDescriptorProtoSchema,
  FieldDescriptorProto_Label as Label,
  FieldDescriptorProto_Type as Type,
} from "@bufbuild/protobuf/wkt";
import { createValidator } from "@bufbuild/protovalidate";
import {
  type FieldRules,
  FieldRulesSchema,
  field as fieldOption,
  file_buf_validate_validate,
} from "@bufbuild/protovalidate/gen/buf/validate/validate_pb.js";
import fc from "fast-check";
import { expect, test } from "vitest";
import { Shortcuts } from "../../gateway/src/protocol/shortcut.ts";
import { adaptersOf } from "../fidelity/services.ts";
import { arbitraryMessage } from "../support/arbitrary-message.ts";

const validator = createValidator();

/** Whether the shortcut is sure of a message, which must be what protovalidate says; undefined for one that breaks a rule. */
function isSure(
  shortcuts: Shortcuts,
  desc: DescMessage,
  message: MessageShape<DescMessage>,
): boolean | undefined {
  const { kind } = validator.validate(desc, message);
  const sure = shortcuts.isSure(desc, message);
  if (sure) expect(kind).toBe("valid");
  return kind === "valid" ? sure : undefined;
}

const TEXTS = [
  "",
  "demo",
  "a.b-c",
  "www.demo",
  "t:Dm0aXQ",
  "?name",
  "a_9",
  "é",
  "\ud83d\ude00",
  "a\u000bb",
  "a b",
  "a\n",
];
const text = fc.oneof(
  fc.constantFrom(...TEXTS, "x".repeat(300), "y".repeat(2000)),
  fc.string({ maxLength: 6 }),
);
const integer = fc.oneof(fc.integer({ min: -2, max: 22 }), fc.constantFrom(2 ** 31 - 1, 100, 1000));

/** Values of which rules speak, where those of `arbitraryMessage` break nearly all of them. */
function plausible(desc: DescMessage): fc.Arbitrary<MessageShape<DescMessage>> {
  const members = desc.fields
    .filter(({ oneof }) => oneof === undefined)
    .flatMap((field) => {
      const item = plausibleItem(field);
      if (item === undefined) return [];
      return [
        [field.localName, field.fieldKind === "list" ? fc.array(item, { maxLength: 5 }) : item] as const,
      ];
    });
  return fc
    .record(Object.fromEntries(members), { requiredKeys: [] })
    .map((init) => create(desc, init as MessageInitShape<DescMessage>));
}

function plausibleItem(field: DescField): fc.Arbitrary<unknown> | undefined {
  if (field.enum !== undefined && field.fieldKind !== "map") return fc.integer({ min: 0, max: 12 });
  if (field.scalar === undefined || field.fieldKind === "map") return undefined;
  switch (field.scalar) {
    case ScalarType.STRING:
      return text;
    case ScalarType.BOOL:
      return fc.boolean();
    case ScalarType.INT32:
    case ScalarType.SINT32:
      return integer;
    case ScalarType.INT64:
      return integer.map(BigInt);
    case ScalarType.UINT32:
      return integer.map(Math.abs);
    case ScalarType.UINT64:
      return integer.map((value) => BigInt(Math.abs(value)));
    default:
      return undefined;
  }
}

test("no request that the shortcut is sure of breaks a constraint, and it is sure of most", async () => {
  const adapters = [...(await adaptersOf("gen")), ...(await adaptersOf("test/gen"))];
  const inputs = new Set(adapters.flatMap(({ service }) => service.methods.map(({ input }) => input)));
  const shortcuts = new Shortcuts();
  let [sure, valid] = [0, 0];
  for (const desc of inputs) {
    fc.assert(
      fc.property(fc.oneof(plausible(desc), arbitraryMessage(desc)), (message) => {
        const result = isSure(shortcuts, desc, message);
        if (result !== undefined) valid++;
        if (result === true) sure++;
      }),
      { numRuns: 30 },
    );
  }
  expect(sure).toBeGreaterThan(valid / 2);
});

type Kind = "string" | "int32" | "int64" | "uint64" | "bool" | "strings";

const KINDS: Readonly<Record<Kind, readonly [Type, fc.Arbitrary<unknown>]>> = {
  string: [Type.STRING, text],
  int32: [Type.INT32, integer],
  int64: [Type.INT64, integer.map(BigInt)],
  uint64: [Type.UINT64, integer.map((value) => BigInt(Math.abs(value)))],
  bool: [Type.BOOL, fc.boolean()],
  strings: [Type.STRING, fc.array(text, { maxLength: 4 })],
};

/** A message with one field `value` that has rules. */
function messageWith(kind: Kind, rules: MessageInitShape<typeof FieldRulesSchema>): DescMessage {
  const options = create(FieldOptionsSchema);
  setExtension(options, fieldOption, create(FieldRulesSchema, rules));
  const label = kind === "strings" ? Label.REPEATED : Label.OPTIONAL;
  const field = { name: "value", number: 1, type: KINDS[kind][0], label, options };
  const file = create(FileDescriptorProtoSchema, {
    name: "ruled.proto",
    package: "ruled",
    syntax: "proto3",
    dependency: [file_buf_validate_validate.proto.name],
    messageType: [{ name: "Ruled", field: [field] }],
  });
  const desc = createFileRegistry(file, () => file_buf_validate_validate).getMessage("ruled.Ruled");
  if (desc === undefined) throw new Error("no message");
  return desc;
}

/** How much the shortcut knows of a rule: all valid values, those of ASCII that are short, or none. */
type Knows = "all" | "short ASCII" | "none";

function holdTo(kind: Kind, rules: MessageInitShape<typeof FieldRulesSchema>, knows: Knows): void {
  const desc = messageWith(kind, rules);
  const shortcuts = new Shortcuts();
  const [, values] = KINDS[kind];
  fc.assert(
    fc.property(values, (value) => {
      const sure = isSure(shortcuts, desc, create(desc, { value } as MessageInitShape<DescMessage>));
      if (sure === undefined) return;
      const isUsual = [value]
        .flat()
        .every((each) => typeof each !== "string" || /^[\0-\x7f]{0,1024}$/.test(each));
      expect(sure).toBe(knows === "all" || (knows === "short ASCII" && isUsual));
    }),
    { numRuns: 100 },
  );
}

const EXPRESSIONS: readonly (readonly [Kind, string, Knows])[] = [
  ["string", "this.size() <= 5", "all"],
  ["string", "size(this) > 0 && !this.startsWith('www.')", "all"],
  ["string", "this == '' || this.endsWith('mo') || this.contains('.')", "all"],
  ["string", "this != 'demo'", "all"],
  ["string", "this.matches('^[a-z]+$')", "short ASCII"],
  ["string", "this.matches('^(t:[^/?#\\\\s]+|[A-Za-z0-9_][A-Za-z0-9._-]*)$')", "short ASCII"],
  ["string", "this.matches('^[^a]\\\\s?b?$')", "short ASCII"],
  ["string", "this.matches('demo')", "none"],
  ["string", "this.matches('^.*$')", "none"],
  ["string", "this < 'demo'", "none"],
  ["string", "this.size() == 4 ? true : this != 'x'", "none"],
  ["string", "['demo', 'a_9'].exists(each, each == this)", "none"],
  ["int32", "this >= 0 && this < 20 || this == 100", "all"],
  ["int32", "!(this == 1 || this != 5)", "all"],
  ["int32", "this % 2 == 0", "none"],
  ["int64", "this >= 0 && this < 20", "all"],
  ["uint64", "this >= 2u", "none"],
  ["bool", "this || !this", "all"],
  ["strings", "this.size() <= 2", "all"],
  ["strings", "this.all(each, each != '')", "none"],
];

test.each(EXPRESSIONS)("of a %s, the shortcut says of %s what CEL does, of %s", (kind, expression, knows) => {
  holdTo(kind, { cel: [{ id: "own", message: "no", expression }] }, knows);
});

const RULES: readonly (readonly [Kind, FieldRules["type"]["case"] & string, object, Knows])[] = [
  ["string", "string", { minLen: 1n, maxLen: 4n }, "all"],
  ["string", "string", { len: 1n }, "all"],
  ["string", "string", { in: ["demo", "a_9"] }, "all"],
  ["string", "string", { notIn: ["demo"], prefix: "a" }, "all"],
  ["string", "string", { const: "demo", suffix: "mo" }, "all"],
  ["string", "string", { pattern: "^[?]?[a-z][a-z0-9_]*$" }, "short ASCII"],
  ["string", "string", { pattern: "^[a-z]*[a-z]*$" }, "none"],
  ["string", "string", { maxBytes: 3n }, "none"],
  ["string", "string", { wellKnown: { case: "hostname", value: true } }, "none"],
  ["int32", "int32", { greaterThan: { case: "gte", value: 1 }, lessThan: { case: "lte", value: 20 } }, "all"],
  ["int32", "int32", { greaterThan: { case: "gt", value: 20 }, lessThan: { case: "lt", value: 1 } }, "none"],
  ["int32", "int32", { in: [1, 2, 3], notIn: [2] }, "all"],
  ["int64", "int64", { greaterThan: { case: "gt", value: 0n } }, "all"],
  ["uint64", "uint64", { lessThan: { case: "lt", value: 7n } }, "all"],
  ["uint64", "uint64", { const: 7n }, "all"],
  ["bool", "bool", { const: true }, "all"],
  ["strings", "repeated", { minItems: 1n, maxItems: 2n }, "all"],
  ["strings", "repeated", { items: { type: { case: "string", value: { minLen: 1n } } } }, "all"],
  ["strings", "repeated", { unique: true }, "none"],
];

test.each(RULES)(
  "of a %s, the shortcut knows the rules %s %o as protovalidate does, of %s",
  (kind, name, value, knows) => {
    holdTo(kind, { type: { case: name, value } } as MessageInitShape<typeof FieldRulesSchema>, knows);
  },
);

test("a pattern of any parts means to the shortcut what it means to RE2", () => {
  const part = fc.constantFrom(
    "a",
    "[a-z]",
    "[^a]",
    "\\s",
    "\\w",
    "\\d",
    "\\.",
    "[\\s.]",
    "[a-]",
    ".",
    "|",
    "(",
    ")",
    "$",
    "[]",
    "]",
    "é",
  );
  const quantifier = fc.constantFrom("", "", "?", "*", "+", "{2}", "{1,2}", "{2,1}", "*?");
  const parts = fc.array(fc.tuple(part, quantifier), { maxLength: 5 }).map((all) => all.flat().join(""));
  const subject = fc.string({
    unit: fc.constantFrom("a", "b", "-", ".", " ", "\u000b", "\n", "1", "é"),
    maxLength: 5,
  });
  fc.assert(
    fc.property(parts, fc.boolean(), fc.array(subject, { maxLength: 8 }), (inner, isGroup, subjects) => {
      const pattern = isGroup ? `^(${inner})$` : `^${inner}$`;
      const desc = messageWith("string", { type: { case: "string", value: { pattern } } });
      const shortcuts = new Shortcuts();
      for (const value of subjects) {
        isSure(shortcuts, desc, create(desc, { value } as MessageInitShape<DescMessage>));
      }
    }),
    { numRuns: 500 },
  );
});
