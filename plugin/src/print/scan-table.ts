/** What the runtime's scanner reads of a message: the same as its decoder, as a table. */
import { type DescField, type DescMessage, type DescOneof, ScalarType } from "@bufbuild/protobuf";
import { holdsNull, isScalarMessage, isWrapper } from "../descriptors/well-known.ts";
import type { ConditionModel } from "../model/rules.ts";
import { discriminatorValues, unwrappedOneof } from "../model/types.ts";
import { responseNames, spellings } from "../model/wire-names.ts";
import type { AdapterFile } from "./adapter-file.ts";
import { enumTable } from "./enum-table.ts";
import { isFlattened, memberPaths, onlyKey, pathTo } from "./known-keys.ts";
import { printString } from "./literal.ts";
import { asksForMore, comesFromPaths, keepsSpelling, scalarKind } from "./read-rules.ts";
import { noTime, timeRule } from "./time-rule.ts";
import { fillList } from "./wrap.ts";

/** The file that a table is printed into, and the decoders that it names. */
export interface ScanScope {
  readonly file: AdapterFile;
  readonly decoderOf: (desc: DescMessage) => string;
}

/** How a value is read that the scanner leaves to the decoder. */
const LEFT = "null";

/** Messages that hold JSON of any shape, and their decoders in the runtime. */
const DYNAMIC: Readonly<Record<string, string>> = {
  "google.protobuf.Value": "decodeValue",
  "google.protobuf.ListValue": "decodeListValue",
};

/** The statement behind a decoder that names what it reads; nothing where the scanner cannot do the same. */
export function scanLines(desc: DescMessage, name: string, scope: ScanScope): string[] {
  // the scanner takes null for nothing
  if (desc.fields.some(holdsNull)) return [];
  const oneof = unwrappedOneof(desc, scope.file.types);
  const entries = oneof === undefined ? entriesOf(desc, scope) : typeEntries(oneof, scope);
  if (entries === undefined) return [];
  return fillList(`${scope.file.runtimeValue("scannable")}(${name}, () => [`, entries, "]);");
}

/** A field with its keys: `[1, "string", "blog_name", "blogName"]`; a payload without any. */
export function scanField(field: DescField, keys: readonly string[], scope: ScanScope): string {
  return printField(field, keys.map(printString), scope);
}

function printField(field: DescField, keys: readonly string[], scope: ScanScope): string {
  return `[${[field.number, kindOf(field, scope), ...keys].join(", ")}]`;
}

/** Whether the scanner can do nothing with a field. */
export function isLeft(field: DescField, scope: ScanScope): boolean {
  return kindOf(field, scope) === LEFT;
}

function entriesOf(desc: DescMessage, scope: ScanScope): string[] | undefined {
  const entries: string[] = [];
  for (const member of desc.members) {
    const own = member.kind === "oneof" ? oneofEntries(member, scope) : fieldEntries(member, scope);
    if (own === undefined) return undefined;
    entries.push(...own);
  }
  const collector = desc.fields.find((field) => scope.file.types.field(field).unknown);
  if (collector === undefined) return entries;
  return [...entries, `{ unknown: ${collector.fieldKind === "map" ? collector.number : LEFT} }`];
}

/** A message that one of several JSON types stands for: `["string", [1, "string"]]`. */
function typeEntries(oneof: DescOneof, scope: ScanScope): string[] {
  const { fallback } = scope.file.types.oneof(oneof);
  return oneof.fields
    .filter((field) => field.name !== fallback)
    .flatMap((field) =>
      scope.file.types
        .field(field)
        .conditions.map(
          ({ type = "" }) => `{ type: ${printString(type)}, as: ${scanField(field, [], scope)} }`,
        ),
    );
}

function fieldEntries(field: DescField, scope: ScanScope): string[] | undefined {
  const paths = pathsOf(field, scope);
  const keys = paths === undefined ? keysOf(field, scope)?.map(printString) : paths.map(printKeys);
  if (keys === undefined) return undefined;
  return keys.length === 0 ? [] : [printField(field, keys, scope)];
}

/** The keys of each path that a field is read from, where it is from below the object's keys, or from several paths. */
function pathsOf(field: DescField, scope: ScanScope): ReadonlyArray<readonly string[]> | undefined {
  const model = scope.file.types.field(field);
  if (!comesFromPaths(model)) return undefined;
  const paths = model.sources.flatMap((source) => (source.kind === "path" ? [source.path.split(".")] : []));
  const isOne = paths.length === 1 && paths[0]?.length === 1;
  return !isOne && paths.every((path) => path.every(isStep)) ? paths : undefined;
}

/** Whether a step of a path is a key, whatever it is looked for in: no index, and without quotes. */
function isStep(step: string): boolean {
  return /^[A-Za-z_$@][\w$@:-]*$/.test(step);
}

/** The keys that a field is read from; none where it is not read from the object; undefined where it is from below them. */
function keysOf(field: DescField, scope: ScanScope): readonly string[] | undefined {
  const model = scope.file.types.field(field);
  if (model.unknown) return [];
  if (model.sources.length === 0) return responseNames(field, scope.file.types);
  const paths = model.sources.flatMap((source) => (source.kind === "path" ? [source.path] : []));
  if (paths.length === 0) return [];
  return comesFromPaths(model) && paths.every(isKey) ? paths : undefined;
}

/** Whether a path is one key. */
function isKey(path: string): boolean {
  return /^[A-Za-z_$][\w$]*$/.test(path);
}

function oneofEntries(oneof: DescOneof, scope: ScanScope): string[] | undefined {
  const { discriminator } = scope.file.types.oneof(oneof);
  if (oneof.fields.some((field) => scope.file.types.field(field).conditions.some(asksForMore))) {
    return chosenBy(oneof, conditionCases(oneof, scope), scope);
  }
  if (discriminator !== "") return chosenBy(oneof, valueCases(oneof, scope), scope);
  const entries: string[] = [];
  for (const field of oneof.fields) {
    const own = fieldEntries(field, scope);
    if (own === undefined) return undefined;
    entries.push(...own);
  }
  const members = memberPaths(oneof, scope.file.types).map(([field]) => field.number);
  return members.length < 2 ? entries : [...entries, `{ oneOf: [${members.join(", ")}] }`];
}

/** A oneof whose member is chosen by cases: `{ when: [{ key: ["type"], is: ["text"], as: [1, decodeText] }] }`. */
function chosenBy(
  oneof: DescOneof,
  cases: readonly string[] | undefined,
  scope: ScanScope,
): string[] | undefined {
  const { fallback } = scope.file.types.oneof(oneof);
  const last = oneof.fields.find((field) => field.name === fallback);
  const otherwise = last && memberEntry(last, scope);
  if (cases === undefined || (last !== undefined && otherwise === undefined)) return undefined;
  const reported = last === undefined ? reportedKeys(oneof, scope) : [];
  const further = [
    ...(otherwise === undefined ? [] : [`otherwise: ${otherwise}`]),
    ...(reported.length === 0 ? [] : [`known: ${printKeys(reported)}`]),
  ];
  return [`{ ${[`when: [${cases.join(", ")}]`, ...further].join(", ")} }`];
}

function valueCases(oneof: DescOneof, scope: ScanScope): string[] | undefined {
  const { discriminator, fallback } = scope.file.types.oneof(oneof);
  return allOf(
    oneof.fields.filter((field) => field.name !== fallback),
    (field) => {
      const entry = memberEntry(field, scope);
      const values = discriminatorValues(field, scope.file.types);
      return (
        entry && `{ key: ${printKeys(spellings(discriminator))}, is: ${printKeys(values)}, as: ${entry} }`
      );
    },
  );
}

function conditionCases(oneof: DescOneof, scope: ScanScope): string[] | undefined {
  const { discriminator, fallback } = scope.file.types.oneof(oneof);
  const members = oneof.fields.filter((field) => field.name !== fallback);
  const cases = allOf(members, (field) => {
    const own = scope.file.types.field(field).conditions;
    const conditions: readonly ConditionModel[] = own.length > 0 ? own : [{ key: "", values: [field.name] }];
    const entry = memberEntry(field, scope);
    const printed = allOf(conditions, (each) => printCondition(each, discriminator));
    return entry && printed?.map((condition) => `{ ${condition}, as: ${entry} }`).join(", ");
  });
  return cases;
}

/** A condition that asks one thing of one key; undefined for others. */
function printCondition(
  { key, values, present, type }: ConditionModel,
  discriminator: string,
): string | undefined {
  const keys = spellings(key || pathTo(discriminator));
  const asked = [values, present, type].filter((each) => each !== undefined).length;
  if (asked !== 1 || !keys.every(isKey)) return undefined;
  const what =
    values !== undefined
      ? `is: ${printKeys(values)}`
      : present !== undefined
        ? `present: ${present}`
        : `type: ${printString(type ?? "")}`;
  return `key: ${printKeys(keys)}, ${what}`;
}

/** The keys that nothing may stand under where no member is chosen. */
function reportedKeys(oneof: DescOneof, scope: ScanScope): readonly string[] {
  const { discriminator } = scope.file.types.oneof(oneof);
  if (keepsSpelling(oneof, discriminator, scope.file.types)) return [];
  const key = discriminator === "" ? onlyKey(oneof, scope.file.types) : discriminator;
  return key === undefined ? [] : spellings(key);
}

/** A member of a oneof: with the keys that it is read from, or without any where it shares those of the object. */
function memberEntry(field: DescField, scope: ScanScope): string | undefined {
  const { oneof } = field;
  if (oneof === undefined) return undefined;
  const { layout, payload } = scope.file.types.oneof(oneof);
  if (layout === "beside") return scanField(field, spellings(payload), scope);
  if (field.fieldKind === "message" && isFlattened(oneof, scope.file.types)) {
    return `[${field.number}, ${scope.decoderOf(field.message)}]`;
  }
  const keys = keysOf(field, scope);
  return keys === undefined || keys.length === 0 ? undefined : scanField(field, keys, scope);
}

function printKeys(keys: readonly string[]): string {
  return `[${keys.map(printString).join(", ")}]`;
}

function allOf<T>(items: readonly T[], print: (item: T) => string | undefined): string[] | undefined {
  const printed = items.map(print);
  return printed.every((each) => each !== undefined) ? printed : undefined;
}

/** How the values of a field are read, as an expression. */
function kindOf(field: DescField, scope: ScanScope): string {
  const kind = strictKind(field, scope);
  return kind !== LEFT && scope.file.types.field(field).coerce ? `{ loose: ${kind} }` : kind;
}

function strictKind(field: DescField, scope: ScanScope): string {
  switch (field.fieldKind) {
    case "scalar":
      return scalar(field, field.scalar, scope);
    case "enum":
      return enumTable(field.enum, scope.file);
    case "message":
      return messageKind(field, field.message, scope);
    case "list": {
      const item = itemKind(field, scope);
      return item === LEFT ? LEFT : `{ list: ${item}${isSplit(field, scope) ? ", commas: true" : ""} }`;
    }
    case "map": {
      const value = field.mapKey === ScalarType.STRING ? itemKind(field, scope) : LEFT;
      return value === LEFT ? LEFT : `{ map: ${value} }`;
    }
  }
}

/** Whether a list may be one text, whose items are read as those of an array are. */
function isSplit(field: DescField & { readonly fieldKind: "list" }, { file: { types } }: ScanScope): boolean {
  return (
    types.field(field).style === "comma" && field.listKind !== "message" && field.scalar !== ScalarType.BYTES
  );
}

function itemKind(field: DescField & { readonly fieldKind: "list" | "map" }, scope: ScanScope): string {
  if (field.scalar !== undefined) return scalar(field, field.scalar, scope);
  return field.enum !== undefined
    ? enumTable(field.enum, scope.file)
    : messageKind(field, field.message, scope);
}

function scalar(field: DescField, type: ScalarType, scope: ScanScope): string {
  return printString(scalarKind(field, type, scope.file.types));
}

function messageKind(field: DescField, message: DescMessage, scope: ScanScope): string {
  const { types } = scope.file;
  const dynamic = DYNAMIC[message.typeName];
  if (message.typeName === "google.protobuf.Timestamp") {
    const { time } = types.field(field);
    const none = noTime(time);
    return `{ time: ${timeRule(time)}${none === undefined ? "" : `, none: ${printString(none)}`} }`;
  }
  if (dynamic !== undefined) return scope.file.runtimeValue(dynamic);
  if (isWrapper(message)) {
    const [value] = message.fields;
    const inner = value?.fieldKind === "scalar" ? scalar(field, value.scalar, scope) : LEFT;
    return inner === LEFT ? LEFT : `{ wrapper: ${inner} }`;
  }
  if (isScalarMessage(message) || ("delimitedEncoding" in field && field.delimitedEncoding)) return LEFT;
  if (types.field(field).unwrap) {
    const [items] = message.fields;
    return items === undefined || isLeft(items, scope) ? LEFT : `{ unwrap: ${scanField(items, [], scope)} }`;
  }
  return scope.decoderOf(message);
}
