/** Checks that the rules of a field apply to the field. */

import { type DescField, ScalarType } from "@bufbuild/protobuf";
import { FeatureSet_FieldPresence } from "@bufbuild/protobuf/wkt";
import { BIG_INTEGERS } from "../descriptors/big-integers.ts";
import {
  holdsNull,
  isCollection,
  isScalarMessage,
  isTimestamp,
  scalarOf,
  valueMessageOf,
} from "../descriptors/well-known.ts";
import { RULES } from "../diagnostics/option-path.ts";
import { nameOf, type OptionPath, type Problems } from "../diagnostics/problem.ts";
import { FieldRulesSchema, SourceSchema, TimeSchema } from "../gen/connectrest/v1/field_rules_pb.ts";
import { isIndex, stepsOf } from "../model/dotted-path.ts";
import {
  type FieldModel,
  isTextMessage,
  type SourceModel,
  type Style,
  type TimeModel,
  type TimeNotation,
  type TypeModels,
  unwrappedOneof,
} from "../model/types.ts";

import { checkIdleFieldRules } from "./idle-field-rules.ts";
import { headerFault, isToken, pathFault, requestHeaderFault } from "./syntax.ts";
import { timeFormatFault } from "./time-format.ts";

const { field: RULE } = FieldRulesSchema;
const { field: SOURCE } = SourceSchema;
const { field: TIME } = TimeSchema;

interface Checked {
  readonly field: DescField;
  readonly rules: FieldModel;
  readonly types: TypeModels;
  readonly add: (place: OptionPath, code: string, text: string) => void;
}

/** Reports rules that do not apply to their field. */
export function checkField(field: DescField, types: TypeModels, problems: Problems): void {
  const rules = types.field(field);
  const add: Checked["add"] = (place, code, text) => problems.add(field, [RULES, ...place], code, text);
  for (const check of CHECKS) check({ field, rules, types, add });
  checkIdleFieldRules(field, types, problems);
}

const CHECKS: ReadonlyArray<(checked: Checked) => void> = [
  checkNames,
  checkTime,
  checkUnwrap,
  checkStyle,
  checkUnknown,
  checkScalars,
  checkPiece,
  checkSources,
];

function checkNames({ field, rules, add }: Checked): void {
  const { name, aliases } = rules;
  const fault =
    rules.place !== "header"
      ? undefined
      : name === ""
        ? 'a header needs a name of its own; set e.g. name: "X-Name"'
        : requestHeaderFault(name);
  if (fault !== undefined) {
    add([name === "" ? RULE.in.number : RULE.name.number], "header-name", `${nameOf(field)}: ${fault}`);
  }
  if (rules.place === "cookie" && name !== "" && !isToken(name)) {
    add(
      [RULE.name.number],
      "cookie-name",
      `${nameOf(field)}: \`${name}\` is not a valid cookie name (RFC 6265 section 4.1.1)`,
    );
  }
  const names = [name || field.name, ...aliases];
  aliases.forEach((alias, index) => {
    const fault =
      alias === ""
        ? "is empty"
        : names.indexOf(alias) <= index
          ? "is already a name of the field"
          : undefined;
    if (fault !== undefined) {
      add([RULE.aliases.number, index], "alias-twice", `the alias \`${alias}\` of ${nameOf(field)} ${fault}`);
    }
  });
}

/** The notations that a Duration cannot have. */
const TIMES_ALONE: ReadonlySet<TimeNotation> = new Set(["pattern", "http_date", "rfc2822"]);

function checkTime({ field, rules: { time }, add }: Checked): void {
  if (time === undefined) return;
  const isDuration = valueMessageOf(field)?.typeName === "google.protobuf.Duration";
  if (!isTimestamp(field) && !isDuration) {
    const text = `\`time\` requires a google.protobuf.Timestamp or Duration; ${nameOf(field)} is neither`;
    add([RULE.time.number], "time-type", text);
  }
  if (isDuration) {
    checkDuration(time, nameOf(field), (name, text) =>
      add([RULE.time.number, TIME[name].number], "time-duration", text),
    );
  }
  const fault = time.notation === "pattern" ? timeFormatFault(time.format) : undefined;
  if (fault !== undefined) {
    add([RULE.time.number, TIME.format.number], "time-format", `the format of ${nameOf(field)} ${fault}`);
  }
  if (time.notation !== "pattern" && time.format !== "") {
    const text = `${nameOf(field)} has a format, but its unit is ${time.unit}; set unit: FORMAT`;
    add([RULE.time.number, TIME.format.number], "time-format", text);
  }
}

/** Reports rules that apply only to points in time. */
function checkDuration(
  { notation, unit, none, rounding }: TimeModel,
  name: string,
  add: (rule: keyof typeof TIME, text: string) => void,
): void {
  if (TIMES_ALONE.has(notation)) {
    const text = `${name} is a Duration, and ${unit} writes a point in time; use SECONDS, MILLIS, MICROS, NANOS or ISO_8601, or remove \`time\` for \`3.5s\``;
    add("unit", text);
  }
  if (none !== "") {
    const text = `${name} is a Duration, and \`none\` is for Timestamps; for words of a response that stand for no value set \`absent\` of the field`;
    add("none", text);
  }
  if (rounding === undefined) return;
  const text = `${name} is a Duration, and \`rounding\` is for Timestamps; a Duration is sent with its fraction: remove \`rounding\`, and for whole units use an integer field`;
  add("rounding", text);
}

/**
 * The messages that consist of a single list or map, and whose JSON form the protobuf specification defines.
 */
const UNWRAPPED_ALREADY: ReadonlySet<string | undefined> = new Set([
  "google.protobuf.Struct",
  "google.protobuf.ListValue",
  "google.protobuf.FieldMask",
]);

function checkUnwrap({ field, rules, types, add }: Checked): void {
  if (!rules.unwrap) return;
  const message = valueMessageOf(field);
  const [only, ...others] = message?.fields ?? [];
  const fault = (text: string) => add([RULE.unwrap.number], "unwrap-type", text);
  if (only === undefined || others.length > 0 || !(isCollection(only) || isOptional(only))) {
    fault(
      `\`unwrap\` requires a message whose only field is repeated, a map, or \`optional\`; ${nameOf(field)} is not one`,
    );
  } else if (isEndless(only, types)) {
    fault(
      `${nameOf(only)} leads back to ${nameOf(only.parent)} through \`unwrap\` alone, so the JSON would have no end; remove \`unwrap\` from one of the fields`,
    );
  } else if (!isCollection(only) && mayBeNull(only, types)) {
    fault(
      `null would have two meanings for ${nameOf(field)}: null is already a value of ${nameOf(only)}; remove \`unwrap\``,
    );
  } else if (!isCollection(only) && field.oneof !== undefined) {
    fault(
      `${nameOf(field)} is a member of the oneof \`${field.oneof.name}\`, which null cannot select; move the field out of the oneof`,
    );
  } else if (types.tuple(only.parent)) {
    fault(
      `${nameOf(only.parent)} is a tuple, so its JSON is an array, not the value of ${nameOf(only)}; remove \`unwrap\``,
    );
  } else if (UNWRAPPED_ALREADY.has(message?.typeName)) {
    const text = `\`unwrap\` of ${nameOf(field)} has no effect: the JSON of a ${message?.typeName} has no key for its only field; remove it`;
    add([RULE.unwrap.number], "no-effect", text);
  }
}

/** Reports whether a field leads back to itself through fields that `unwrap` replaces. */
function isEndless(field: DescField, types: TypeModels): boolean {
  const seen = new Set<DescField>();
  let next: DescField | undefined = field;
  while (next !== undefined && types.field(next).unwrap && !seen.has(next)) {
    seen.add(next);
    next = valueMessageOf(next)?.fields[0];
  }
  return next !== undefined && seen.has(next);
}

/** Reports whether a singular field distinguishes an unset value from every other value. */
function isOptional(field: DescField): boolean {
  return field.presence === FeatureSet_FieldPresence.EXPLICIT && field.oneof === undefined;
}

/** Reports whether null is a value of a singular field, not the absence of a value. */
function mayBeNull(field: DescField, types: TypeModels): boolean {
  const { unwrap, jsonText } = types.field(field);
  if (jsonText) return false;
  if (field.fieldKind !== "message") return holdsNull(field);
  const { message } = field;
  if (message.typeName === "google.protobuf.Value") return true;
  const [only] = message.fields;
  if (unwrap) return only !== undefined && !isCollection(only);
  return unwrappedOneof(message, types)?.fields.some((each) => mayBeNull(each, types)) === true;
}

/** The styles that write every value of a field as a string. */
const WRITTEN_AS_TEXT: ReadonlySet<Style> = new Set(["comma", "spread"]);

function checkStyle({ field, rules: { style }, types, add }: Checked): void {
  if (style === undefined) return;
  const fault = (text: string) => add([RULE.style.number], "style-type", text);
  if (field.fieldKind !== "list" && field.fieldKind !== "map") {
    fault(`\`style\` requires a repeated field or a map; ${nameOf(field)} is singular`);
  } else if (WRITTEN_AS_TEXT.has(style) && !isText(field, types)) {
    fault(`${style.toUpperCase()} writes values as text, but those of ${nameOf(field)} are messages`);
  } else if (style === "spread" && field.fieldKind === "list") {
    fault(`SPREAD is for maps; ${nameOf(field)} is repeated: use REPEAT, BRACKETS, INDEXED or COMMA`);
  } else if (style !== "spread" && field.fieldKind === "map") {
    fault(`${style.toUpperCase()} is for repeated fields; ${nameOf(field)} is a map: use SPREAD`);
  }
}

function isText(field: DescField, types: TypeModels): boolean {
  const message = valueMessageOf(field);
  if (field.fieldKind === "map") return message === undefined || isScalarMessage(message);
  return message === undefined || isTextMessage(message, types);
}

function checkUnknown({ field, rules, types, add }: Checked): void {
  if (!rules.unknown) return;
  const isItem = types.tuple(field.parent);
  if (isItem && !isRest(field)) {
    const text = `\`unknown\` in a tuple requires a field that is last and repeated; ${nameOf(field)} is not`;
    add([RULE.unknown.number], "unknown-type", text);
  } else if (!isItem && !isCollector(field)) {
    const text = `\`unknown\` requires a map<string, string> or a google.protobuf.Struct; ${nameOf(field)} is neither`;
    add([RULE.unknown.number], "unknown-type", text);
  }
  if (field.oneof !== undefined) {
    const text = `${nameOf(field)} is a member of the oneof \`${field.oneof.name}\`, which any unknown key would select; move it out of the oneof`;
    add([RULE.unknown.number], "unknown-member", text);
  }
}

/** Reports whether a field can collect the further items of its tuple. */
function isRest({ fieldKind, number, parent }: DescField): boolean {
  return fieldKind === "list" && parent.fields.every((other) => other.number <= number);
}

function isCollector(field: DescField): boolean {
  if (field.fieldKind === "message") return field.message.typeName === "google.protobuf.Struct";
  return (
    field.fieldKind === "map" &&
    field.mapKey === ScalarType.STRING &&
    field.mapKind === "scalar" &&
    field.scalar === ScalarType.STRING
  );
}

function checkScalars({ field, rules, add }: Checked): void {
  const type = scalarOf(field);
  if (rules.number !== undefined && !BIG_INTEGERS.has(type)) {
    add(
      [RULE.number.number],
      "number-type",
      `\`number\` requires a 64-bit integer; ${nameOf(field)} is not one`,
    );
  }
  if (rules.bytes !== undefined && type !== ScalarType.BYTES) {
    add(
      [RULE.bytes.number],
      "bytes-type",
      `\`bytes\` requires a field of type bytes; ${nameOf(field)} is not one`,
    );
  }
}

function checkPiece({ field, rules: { piece }, add }: Checked): void {
  if (piece === undefined) return;
  const isSingle = field.fieldKind === "scalar";
  const isString = isSingle && field.scalar === ScalarType.STRING;
  const isBytes = isSingle && field.scalar === ScalarType.BYTES;
  if (isString || (isBytes && piece === "content")) return;
  const expected = piece === "content" ? "bytes or a string" : "a string";
  add(
    [RULE.piece.number],
    "piece-type",
    `${nameOf(field)} is the ${piece.toUpperCase()} of a part, which must be ${expected}`,
  );
}

function checkSources(checked: Checked): void {
  checked.rules.sources.forEach((source, index) => {
    checkSource(source, index, checked);
  });
}

function checkSource(source: SourceModel, index: number, { field, add }: Checked): void {
  const subject = nameOf(field);
  const fault = (number: number, code: string, text: string | undefined) =>
    text !== undefined && add([RULE.from.number, index, number], code, `a source of ${subject}: ${text}`);
  if (source.rel !== "" && source.kind === "header" && source.header.toLowerCase() !== "link") {
    const text = `\`rel\` selects an address from a \`Link\` header (RFC 8288), not from \`${source.header}\``;
    fault(SOURCE.rel.number, "from-rel", text);
  }
  if (source.rel !== "" && source.kind !== "header" && source.kind !== "none") {
    fault(
      SOURCE.rel.number,
      "from-rel",
      "`rel` selects an address from a `Link` header (RFC 8288), so `header` must be set too",
    );
  }
  switch (source.kind) {
    case "header":
      fault(SOURCE.header.number, "header-name", headerFault(source.header));
      break;
    case "path":
      fault(SOURCE.path.number, "dotted-path", sourceFault(source.path));
      break;
    case "status":
      fault(SOURCE.status.number, "from-status", statusFault(source.status, field.scalar));
      break;
    default:
      add([RULE.from.number], "from-source", `a source of ${subject} is empty; set header, status or path`);
  }
}

function statusFault(status: number, type: ScalarType | undefined): string | undefined {
  const isText = type === ScalarType.STRING || type === ScalarType.BYTES;
  if (type === undefined || isText) {
    return "a status needs an integer field, or a bool field that compares it";
  }
  if (type !== ScalarType.BOOL || (status >= 200 && status <= 599)) return undefined;
  return `expected a status from 200 to 599 to compare with, got ${status}`;
}

function sourceFault(path: string): string | undefined {
  const fault = pathFault(path, "no root");
  const [first] = stepsOf(path);
  if (fault === undefined && first !== undefined && isIndex(first)) {
    return `the path \`${path}\` begins with an index, but a message is read from an object; for a message that is an array, set \`option (connectrest.v1.message).tuple = true\`, or put the fields into the message that has it: \`list.${path}\`; put a key that consists of digits in quotes`;
  }
  return path === "."
    ? `${fault}; for all of the payload in one field, name it in response_body of google.api.http`
    : fault;
}
