/** Checks that the paths in rules lead to declared fields, and that these fields fit the rule. */
import type { DescField, DescMessage } from "@bufbuild/protobuf";
import { INTEGERS } from "../descriptors/integers.ts";
import { isTimestamp } from "../descriptors/well-known.ts";
import { RULES } from "../diagnostics/option-path.ts";
import { nameOf, type OptionPath, type Problems } from "../diagnostics/problem.ts";
import { closest, didYouMean } from "../diagnostics/suggest.ts";
import { WhenSchema } from "../gen/connectrest/v1/field_rules_pb.ts";
import { MethodRulesSchema } from "../gen/connectrest/v1/method_rules_pb.ts";
import {
  CursorSchema,
  OperationSchema,
  OverlapSchema,
  PaginateSchema,
  PollSchema,
  RecordsSchema,
} from "../gen/connectrest/v1/stream_rules_pb.ts";
import { declaredKeys, resolveKeys } from "../model/declared-keys.ts";
import { namesOf } from "../model/dotted-path.ts";
import type { MethodModel } from "../model/model.ts";
import type { TypeModels } from "../model/types.ts";
import { impossibleValues } from "./condition-values.ts";
import { checkKnown } from "./known-keys.ts";
import { pathFault } from "./syntax.ts";

const { field: RULE } = MethodRulesSchema;
const { field: PAGINATE } = PaginateSchema;
const { field: CURSOR } = CursorSchema;
const { field: OPERATION } = OperationSchema;
const KEY = WhenSchema.field.key.number;

type PaginateRule = NonNullable<MethodModel["annotation"]["paginate"]>;

/** A path in a rule, its name in messages, and its position. */
interface Place {
  readonly path: string;
  readonly name: string;
  readonly place: OptionPath;
  /** Whether a path that leads nowhere causes no error at run time. */
  readonly silent?: true;
  /** For the key of a condition: the values that it is compared with. */
  readonly values?: readonly string[] | undefined;
}

/**
 * Reports paths that lead nowhere. If the runtime would not report such a path, reports every key that no
 * field reads. Otherwise reports only keys that resemble a declared key, since a description may omit keys.
 */
export function checkItemPlaces(method: MethodModel, types: TypeModels, problems: Problems): void {
  const { desc } = method;
  const report = ({ path, name, place, silent, values = [] }: Place, message: DescMessage) => {
    if (path === "" || path === "." || pathFault(path, "root") !== undefined) return;
    for (const [index, fault] of impossibleValues({ key: path, values }, message, types)) {
      const at = [RULES, ...place.slice(0, -1), WhenSchema.field.values.number, index];
      const text = `${name} of ${nameOf(desc)} never holds for \`${values[index]}\`: ${fault}`;
      problems.add(desc, at, "when-never", text);
    }
    const found = resolveKeys(message, path, types);
    if (found.undeclared === undefined) return;
    const { undeclared: key, keys } = found;
    const near = closest(key, keys);
    if (silent === undefined && near === undefined) return;
    const hint = near === undefined ? didYouMean(key, keys) || ";" : `; did you mean \`${near}\`?`;
    const where = key === path ? "" : ` in \`${path}\``;
    const remedy = `${hint.endsWith("?") ? "If" : "if"} the upstream has such a key, write it in quotes: \`'${key}'\``;
    const text = `${name} of ${nameOf(desc)}: no field of ${message.typeName} reads \`${key}\`${where}${hint} ${remedy}`;
    problems.add(desc, [RULES, ...place], "undeclared-key", text);
  };
  const item = method.stream?.kind === "poll" ? (method.stream.feed?.item ?? desc.output) : desc.output;
  for (const place of placesInItems(method)) report(place, item);
  for (const message of method.pages) {
    for (const place of placesInPages(method)) report(place, message);
  }
  checkKnown(method, types, problems);
  checkReadsInItems(method, problems);
  checkRecordKeys(method, types, problems);
  checkCursor(method, types, problems);
}

/**
 * Reports rules that read a place in the items of every page. With several paths of items, a place that only
 * one of them contains is outside the items of other pages.
 */
function checkReadsInItems({ desc, annotation: { paginate } }: MethodModel, problems: Problems): void {
  if (paginate === undefined || paginate.items.length === 0) return;
  const lists = paginate.items.map(namesOf);
  for (const { path, name, place } of placesBesideItems(paginate)) {
    const steps = namesOf(path);
    const isInItems = lists.every((list) => list.every((step, at) => step === steps[at]));
    if (path === "" || !isInItems) continue;
    const items = paginate.items.map((each) => `\`${each}\``).join(" and ");
    const text = `${name} of ${nameOf(desc)}: \`${path}\` lies in the items at ${items}; name a value beside the items, or use last_item for a value of the last item`;
    problems.add(desc, [RULES, ...place], "paginate-in-items", text);
  }
}

/** Reports keys that the runtime adds to records but that no field reads. */
function checkRecordKeys(
  { desc, annotation: { records }, stream }: MethodModel,
  types: TypeModels,
  problems: Problems,
): void {
  const keys = declaredKeys(desc.output, types);
  if (records === undefined || keys === undefined) return;
  if (stream?.kind !== "records" || stream.format !== "events") return;
  for (const name of ["event", "id", "data"] as const) {
    const key = records[name];
    if (key === "" || keys.includes(key)) continue;
    const text = `\`${name}\` of records of ${nameOf(desc)}: no field of ${desc.output.typeName} reads the key \`${key}\`${didYouMean(key, keys)}; declare one, or remove \`${name}\``;
    const place = [RULES, RULE.records.number, RecordsSchema.field[name].number];
    problems.add(desc, place, "undeclared-key", text);
  }
}

/** Returns the paths in the rules that are relative to a message of the stream. */
function placesInItems({ annotation: { paginate, poll, records, operation }, stream }: MethodModel): Place[] {
  const places: Place[] = [];
  if (paginate?.next.case === "lastItem") {
    const { path, overlap } = paginate.next.value;
    const last = [RULE.paginate.number, PAGINATE.lastItem.number];
    path.forEach((each, index) => {
      places.push({ path: each, name: "last_item", place: [...last, CURSOR.path.number, index] });
    });
    const key = [...last, CURSOR.overlap.number, OverlapSchema.field.key.number];
    places.push({ path: overlap?.key ?? "", name: "overlap", place: key, silent: true });
  }
  if (poll !== undefined) {
    const place = [RULE.poll.number, PollSchema.field.key.number];
    places.push({ path: poll.key, name: "poll", place, silent: true });
  }
  if (records !== undefined) {
    const place = [RULE.records.number, RecordsSchema.field.last.number, KEY];
    const { key = "", values } = records.last ?? {};
    places.push({ path: key, name: "`last` of records", place, values });
  }
  if (operation !== undefined && stream?.kind === "operation") {
    for (const name of ["done", "failed"] as const) {
      const place = [RULE.operation.number, OPERATION[name].number, KEY];
      const { key = "", values } = operation[name] ?? {};
      places.push({ path: key, name: `\`${name}\` of operation`, place, values });
    }
  }
  return places;
}

/** Returns the paths that start in the payload of a page. */
function placesInPages({ annotation: { paginate, poll } }: MethodModel): Place[] {
  const places: Place[] = [];
  if (poll !== undefined) {
    const place = [RULE.poll.number, PollSchema.field.items.number];
    places.push({ path: poll.items, name: "poll", place });
  }
  if (paginate === undefined) return places;
  const add = (paths: readonly string[], field: number) => {
    paths.forEach((path, index) => {
      places.push({ path, name: "paginate", place: [RULE.paginate.number, field, index] });
    });
  };
  add(paginate.items, PAGINATE.items.number);
  places.push(...placesBesideItems(paginate));
  add(paginate.known, PAGINATE.known.number);
  return places;
}

/** Returns the paths that lead from the payload of a page to values other than the items. */
function placesBesideItems({ next, linkQuery, total, more }: PaginateRule): Place[] {
  const places: Place[] = [];
  const add = (path: string, ...place: readonly number[]) => {
    places.push({ path, name: "paginate", place: [RULE.paginate.number, ...place] });
  };
  if (next.case === "link") add(next.value, PAGINATE.link.number);
  if (next.case === "cursor") {
    next.value.path.forEach((path, index) => {
      add(path, PAGINATE.cursor.number, CURSOR.path.number, index);
    });
  }
  add(linkQuery, PAGINATE.linkQuery.number);
  add(total, PAGINATE.total.number);
  const { key = "", values } = more ?? {};
  const place = [RULE.paginate.number, PAGINATE.more.number, KEY];
  places.push({ path: key, name: "`more` of paginate", place, values });
  return places;
}

/** Reports a cursor that is read from the last item in a notation that the request field does not accept. */
function checkCursor({ desc, annotation, stream }: MethodModel, types: TypeModels, problems: Problems): void {
  const { next } = annotation.paginate ?? {};
  if (next?.case !== "lastItem" || stream?.kind !== "paginate" || stream.next.kind !== "cursor") return;
  const taker = stream.next.field.at(-1) as DescField;
  next.value.path.forEach((path, index) => {
    const found = resolveKeys(desc.output, path, types);
    for (const field of found.undeclared === undefined ? found.fields : []) {
      const written = notationOf(field, types);
      const taken = notationOf(taker, types);
      if (written === undefined || taken === undefined || fits(written, taken)) continue;
      const place = [RULE.paginate.number, PAGINATE.lastItem.number, CURSOR.path.number, index];
      const text = `last_item of ${nameOf(desc)}: ${nameOf(field)} is written as ${written}, and ${nameOf(taker)} takes ${taken}; name another value of the item, or correct \`time\` of either field`;
      problems.add(desc, [RULES, ...place], "cursor-notation", text);
    }
  });
}

const INTEGER = "an integer";

/**
 * Returns the notation of a time or an integer in a field; undefined if both are possible, as in a string.
 */
function notationOf(field: DescField, types: TypeModels): string | undefined {
  if (field.fieldKind === "message" && isTimestamp(field)) {
    const { unit = "ISO_8601", format = "" } = types.field(field).time ?? {};
    return format === "" ? unit.replace("UNIT_UNSPECIFIED", "ISO_8601") : `the format \`${format}\``;
  }
  return field.fieldKind === "scalar" && INTEGERS.has(field.scalar) ? INTEGER : undefined;
}

function fits(written: string, taken: string): boolean {
  if (written === taken) return true;
  const counts = [written, taken].filter((each) => each === INTEGER || COUNT_NAMES.has(each));
  return counts.length === 2 && counts.includes(INTEGER);
}

const COUNT_NAMES: ReadonlySet<string> = new Set(["SECONDS", "MILLIS", "MICROS", "NANOS"]);
