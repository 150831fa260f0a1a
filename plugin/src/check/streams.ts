/** Checks stream rules, after they have been parsed without problems. */
import type { DescMethod } from "@bufbuild/protobuf";
import type { Duration } from "@bufbuild/protobuf/wkt";
import { isString, millisOf } from "../descriptors/well-known.ts";
import { RULES } from "../diagnostics/option-path.ts";
import { nameOf, type Problems } from "../diagnostics/problem.ts";
import { Empty_Spelling } from "../gen/connectrest/v1/field_rules_pb.ts";
import { MethodRulesSchema } from "../gen/connectrest/v1/method_rules_pb.ts";
import {
  CursorSchema,
  OverlapSchema,
  type Paginate,
  PaginateSchema,
  type Poll,
  type PollPages,
  PollPagesSchema,
  PollSchema,
  type Records,
  Records_Format,
  RecordsSchema,
  type Upload,
  UploadSchema,
} from "../gen/connectrest/v1/stream_rules_pb.ts";
import type { Frozen } from "../model/freeze.ts";
import type { MethodModel } from "../model/model.ts";
import type { TypeModels } from "../model/types.ts";
import { checkCondition } from "./conditions.ts";
import { checkItemPlaces } from "./item-places.ts";
import { checkPageReaders } from "./rule-readers.ts";
import { checkSpellings } from "./shared-rules.ts";
import { headerFault, pathFault } from "./syntax.ts";

const { field: RULE } = MethodRulesSchema;
const { field: PAGINATE } = PaginateSchema;
const { field: CURSOR } = CursorSchema;
const { field: POLL } = PollSchema;
const { field: UPLOAD } = UploadSchema;
const { field: RECORDS } = RecordsSchema;

/** The maximum number of pages of a feed. Every poll requests all pages. */
const MAX_FEED_PAGES = 100;
/**
 * The bounds of the polling interval. The runtime enforces them for rules and upstreams alike. Interval
 * headers count whole seconds.
 */
const MIN_POLL_SECONDS = 1;
const MAX_POLL_SECONDS = 24 * 3600;

/** A path in a rule, its position, and whether it may be the root. */
type PathPlace = readonly [path: string, place: readonly number[], root: "root" | "no root"];

/** Reports rules that cannot be applied to a stream. */
export function checkStreams(method: MethodModel, types: TypeModels, problems: Problems): void {
  const { desc, annotation } = method;
  const { paginate, poll, upload, records } = annotation;
  if (paginate !== undefined) checkPaginate(paginate, desc, problems);
  if (poll !== undefined) checkPoll(poll, desc, problems);
  if (upload !== undefined) checkUpload(upload, desc, problems);
  if (records !== undefined) checkRecords(records, desc, problems);
  checkPageReaders(desc, annotation, problems);
  checkItemPlaces(method, types, problems);
}

function checkPaginate(
  {
    items,
    next,
    maxPages,
    maxEmptyPages,
    linkQuery,
    linkAlways,
    more,
    total,
    first,
    empty,
    known,
  }: Frozen<Paginate>,
  desc: DescMethod,
  problems: Problems,
): void {
  const paths: PathPlace[] = items.map((path, index) => [path, [PAGINATE.items.number, index], "root"]);
  if (next.case === "link") paths.push([next.value, [PAGINATE.link.number], "root"]);
  if (next.case === "cursor" || next.case === "lastItem") {
    const { number } = PAGINATE[next.case];
    next.value.path.forEach((path, index) => {
      paths.push([path, [number, CURSOR.path.number, index], "no root"]);
    });
  }
  if (next.case === "lastItem" && next.value.overlap !== undefined && next.value.overlap.key !== "") {
    const place = [PAGINATE.lastItem.number, CURSOR.overlap.number, OverlapSchema.field.key.number];
    paths.push([next.value.overlap.key, place, "no root"]);
  }
  if (linkQuery !== "") paths.push([linkQuery, [PAGINATE.linkQuery.number], "no root"]);
  if (total !== "") paths.push([total, [PAGINATE.total.number], "no root"]);
  paths.push(...knownPaths(known, PAGINATE.known.number));
  checkPaths(paths, "paginate", desc, problems);
  const add = (place: readonly number[], code: string, text: string) =>
    problems.add(desc, [RULES, RULE.paginate.number, ...place], code, text);
  for (const rule of [linkQuery !== "" && PAGINATE.linkQuery, linkAlways && PAGINATE.linkAlways]) {
    if (rule === false || next.case === "link") continue;
    const text = `paginate of ${nameOf(desc)}: ${rule.name} requires link, which is not set`;
    add([rule.number], "paginate-link-query", text);
  }
  const headerName = next.case === "cursor" ? next.value.header : "";
  const fault = headerName === "" ? undefined : headerFault(headerName);
  if (fault !== undefined) {
    add(
      [PAGINATE.cursor.number, CURSOR.header.number],
      "header-name",
      `paginate of ${nameOf(desc)}: ${fault}`,
    );
  }
  if (more !== undefined) {
    checkCondition(more, "", (place, code, text) =>
      add(
        [PAGINATE.more.number, ...place],
        code,
        `the condition \`more\` of paginate of ${nameOf(desc)} ${text}`,
      ),
    );
  }
  if ((total !== "" || first !== undefined) && next.case !== "offset" && next.case !== "page") {
    const text = `paginate of ${nameOf(desc)}: total and first count items or pages; set offset or page`;
    add([(total === "" ? PAGINATE.first : PAGINATE.total).number], "paginate-count", text);
  }
  checkSpellings(empty, (index, text) => {
    add([PAGINATE.empty.number, index], "empty-spelling", `paginate of ${nameOf(desc)}: ${text}`);
  });
  empty.forEach((spelling, index) => {
    if (spelling !== Empty_Spelling.EMPTY_BODY) return;
    const text = `paginate of ${nameOf(desc)}: a page has a body; EMPTY_BODY belongs to \`empty\` of the envelope`;
    add([PAGINATE.empty.number, index], "empty-spelling", text);
  });
  for (const [most, rule] of [
    [maxPages, PAGINATE.maxPages],
    [maxEmptyPages, PAGINATE.maxEmptyPages],
  ] as const) {
    if (most >= 0) continue;
    const text = `paginate of ${nameOf(desc)}: expected ${rule.name} to be 1 page or more, or 0 for the default, got ${most}`;
    add([rule.number], "paginate-pages", text);
  }
}

function knownPaths(known: readonly string[], place: number): PathPlace[] {
  return known.map((path, index) => [path, [place, index], "no root"]);
}

function checkPoll(
  {
    items,
    key,
    intervalHeader,
    interval,
    skipBacklog,
    batch,
    request,
    pages,
    ignoreCase,
    known,
  }: Frozen<Poll>,
  desc: DescMethod,
  problems: Problems,
): void {
  const subject = `poll of ${nameOf(desc)}`;
  const add = (place: readonly number[], code: string, text: string) =>
    problems.add(desc, [RULES, RULE.poll.number, ...place], code, `${subject}: ${text}`);
  checkPaths(
    [
      [items, [POLL.items.number], "root"],
      [key, [POLL.key.number], "no root"],
      ...knownPaths(known, POLL.known.number),
    ],
    "poll",
    desc,
    problems,
  );
  const fault = intervalHeader === "" ? undefined : headerFault(intervalHeader);
  if (fault !== undefined) add([POLL.intervalHeader.number], "header-name", fault);
  const seconds = interval && millisOf(interval) / 1_000;
  if (seconds !== undefined && (seconds < MIN_POLL_SECONDS || seconds > MAX_POLL_SECONDS)) {
    const expected = `an interval of ${MIN_POLL_SECONDS} s to ${MAX_POLL_SECONDS} s`;
    add([POLL.interval.number], "poll-interval", `expected ${expected}, got ${seconds} s`);
  }
  if (batch === undefined) {
    const idle = [
      request && POLL.request,
      pages && POLL.pages,
      ignoreCase.length > 0 ? POLL.ignoreCase : undefined,
    ];
    for (const field of idle) {
      if (field === undefined) continue;
      add([field.number], "poll-without-batch", `${field.name} requires batch, which is not set`);
    }
  } else if (skipBacklog) {
    const text =
      "with batch the request says where to start; remove skip_backlog, since from now on is the default";
    add([POLL.skipBacklog.number], "poll-backlog", text);
  }
  if (pages !== undefined) checkPages(pages, add);
}

function checkPages(
  { next, size, max }: Frozen<PollPages>,
  add: (place: readonly number[], code: string, text: string) => void,
): void {
  const { field: PAGES } = PollPagesSchema;
  if (next.case === undefined || next.value === "") {
    const text = "pages does not say how to find the next page; set link_header or page";
    add([POLL.pages.number], "poll-pages", text);
  }
  if (max < 2 || max > MAX_FEED_PAGES) {
    const place = max === 0 ? [POLL.pages.number] : [POLL.pages.number, PAGES.max.number];
    add(place, "poll-pages", `expected max to be 2 to ${MAX_FEED_PAGES} pages, got ${max}`);
  }
  if (size < 0) {
    const text = `expected a size of 1 item or more, or 0 where it is unknown, got ${size}`;
    add([POLL.pages.number, PAGES.size.number], "poll-pages", text);
  }
}

function isPositive({ seconds, nanos }: Frozen<Duration>): boolean {
  return seconds >= 0n && nanos >= 0 && (seconds > 0n || nanos > 0);
}

function checkRecords(
  { format, event, id, data, end, last, idle }: Frozen<Records>,
  desc: DescMethod,
  problems: Problems,
): void {
  const subject = `records of ${nameOf(desc)}`;
  const add = (place: readonly number[], code: string, text: string) =>
    problems.add(desc, [RULES, RULE.records.number, ...place], code, text);
  const keys = Object.entries({ event, id, data }).filter(([, key]) => key !== "");
  if (format !== Records_Format.EVENT_STREAM && keys.length > 0) {
    const names = keys.map(([name]) => name).join(", ");
    const what = format === Records_Format.ARRAY ? "items of an array" : "lines";
    add(
      [],
      "records-keys",
      `${subject}: ${what} have no ${names}; set format: EVENT_STREAM, or remove these keys`,
    );
  }
  keys.forEach(([name, key], index) => {
    if (keys.findIndex(([, other]) => other === key) === index) return;
    add([], "records-keys", `${subject}: the key \`${key}\` of the ${name} is already in use; use another`);
  });
  end.forEach((text, index) => {
    if (text.trim() === "") {
      add([RECORDS.end.number, index], "records-end", `${subject}: an empty text cannot end a stream`);
    }
  });
  if (format === Records_Format.ARRAY && end.length > 0) {
    const text = `${subject}: an array ends itself; remove end, or set format: LINES or EVENT_STREAM`;
    add([RECORDS.end.number, 0], "records-end", text);
  }
  if (last !== undefined) {
    checkCondition(last, "", (place, code, text) =>
      add([RECORDS.last.number, ...place], code, `the condition \`last\` of the ${subject} ${text}`),
    );
  }
  if (idle !== undefined && !isPositive(idle)) {
    const seconds = millisOf(idle) / 1_000;
    add(
      [RECORDS.idle.number],
      "records-idle",
      `${subject}: expected a pause of more than 0 s, got ${seconds} s`,
    );
  }
}

function checkUpload(
  { contentType, part, filename }: Frozen<Upload>,
  desc: DescMethod,
  problems: Problems,
): void {
  for (const [name, { number }] of [
    [contentType, UPLOAD.contentType],
    [part, UPLOAD.part],
    [filename, UPLOAD.filename],
  ] as const) {
    const field = desc.input.fields.find((candidate) => candidate.name === name);
    if (field === undefined || isString(field)) continue;
    const text = `upload of ${nameOf(desc)}: \`${name}\` must be a field of type string`;
    problems.add(desc, [RULES, RULE.upload.number, number], "stream-text", text);
  }
}

function checkPaths(
  paths: readonly PathPlace[],
  rule: "paginate" | "poll",
  desc: DescMethod,
  problems: Problems,
): void {
  for (const [path, place, root] of paths) {
    const fault = pathFault(path, root);
    if (fault === undefined) continue;
    problems.add(
      desc,
      [RULES, RULE[rule].number, ...place],
      "dotted-path",
      `${rule} of ${nameOf(desc)}: ${fault}`,
    );
  }
}
