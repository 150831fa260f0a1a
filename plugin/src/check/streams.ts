/** Checks the rules of streams, where they are sound in themselves. */
import { type DescField, type DescMethod, ScalarType } from "@bufbuild/protobuf";
import { methodRules, RULES } from "../descriptors/options.ts";
import { nameOf, type Problems } from "../diagnostics/problem.ts";
import {
  type Paginate,
  type Poll,
  type Records,
  Records_Format,
  type Upload,
} from "../gen/connectrest/v1/stream_rules_pb.ts";
import { checkCondition } from "./conditions.ts";
import { headerFault, pathFault } from "./syntax.ts";

/** Field numbers of the stream rules in MethodRules. */
const RULE = { paginate: 27, poll: 28, upload: 29, records: 32 } as const;

/** Where a path is in a rule, and whether it may be the root. */
type PathPlace = readonly [path: string, place: readonly number[], root: "root" | "no root"];

/** Reports what no stream can do. */
export function checkStreams(desc: DescMethod, problems: Problems): void {
  const { paginate, poll, upload, records } = methodRules(desc);
  if (paginate !== undefined) checkPaginate(paginate, desc, problems);
  if (poll !== undefined) checkPoll(poll, desc, problems);
  if (upload !== undefined) checkUpload(upload, desc, problems);
  if (records !== undefined) checkRecords(records, desc, problems);
}

function checkPaginate(
  { items, next, maxPages, linkQuery, more, total, first }: Paginate,
  desc: DescMethod,
  problems: Problems,
): void {
  const paths: PathPlace[] = items.map((path, index) => [path, [1, index], "root"]);
  if (next.case === "link") paths.push([next.value, [2], "root"]);
  if (next.case === "cursor" && next.value.path !== "") paths.push([next.value.path, [6, 1], "no root"]);
  if (next.case === "lastItem") paths.push([next.value.path, [7, 1], "no root"]);
  if (linkQuery !== "") paths.push([linkQuery, [9], "no root"]);
  if (total !== "") paths.push([total, [10], "no root"]);
  checkPaths(paths, "paginate", desc, problems);
  if (linkQuery !== "" && next.case !== "link") {
    const text = `paginate of ${nameOf(desc)}: link_query goes with link, and there is none`;
    problems.add(desc, [RULES, RULE.paginate, 9], "paginate-link-query", text);
  }
  const add = (place: readonly number[], code: string, text: string) =>
    problems.add(desc, [RULES, RULE.paginate, ...place], code, text);
  const headerName = next.case === "cursor" ? next.value.header : "";
  const fault = headerName === "" ? undefined : headerFault(headerName);
  if (fault !== undefined) add([6, 3], "header-name", `paginate of ${nameOf(desc)}: ${fault}`);
  if (more !== undefined) {
    checkCondition(more, "", (place, code, text) =>
      add([12, ...place], code, `the condition for more pages of ${nameOf(desc)} ${text}`),
    );
  }
  if ((total !== "" || first !== undefined) && next.case !== "offset" && next.case !== "page") {
    const text = `paginate of ${nameOf(desc)}: total and first count items or pages; set offset or page`;
    add([total === "" ? 11 : 10], "paginate-count", text);
  }
  if (maxPages < 0) {
    const text = `paginate of ${nameOf(desc)}: expected 1 page or more, or 0 for the default, got ${maxPages}`;
    problems.add(desc, [RULES, RULE.paginate, 8], "paginate-pages", text);
  }
}

function checkPoll(
  { items, key, intervalHeader, interval }: Poll,
  desc: DescMethod,
  problems: Problems,
): void {
  checkPaths(
    [
      [items, [1], "root"],
      [key, [2], "no root"],
    ],
    "poll",
    desc,
    problems,
  );
  const fault = intervalHeader === "" ? undefined : headerFault(intervalHeader);
  if (fault !== undefined) {
    problems.add(desc, [RULES, RULE.poll, 3], "header-name", `poll of ${nameOf(desc)}: ${fault}`);
  }
  if (interval !== undefined && !isPositive(interval)) {
    const seconds = Number(interval.seconds) + interval.nanos / 1e9;
    const text = `poll of ${nameOf(desc)}: expected an interval of more than 0 s, got ${seconds} s`;
    problems.add(desc, [RULES, RULE.poll, 4], "poll-interval", text);
  }
}

function isPositive({ seconds, nanos }: { seconds: bigint; nanos: number }): boolean {
  return seconds >= 0n && nanos >= 0 && (seconds > 0n || nanos > 0);
}

function checkRecords(
  { format, event, id, data, end, last, idle }: Records,
  desc: DescMethod,
  problems: Problems,
): void {
  const subject = `records of ${nameOf(desc)}`;
  const add = (place: readonly number[], code: string, text: string) =>
    problems.add(desc, [RULES, RULE.records, ...place], code, text);
  const keys = Object.entries({ event, id, data }).filter(([, key]) => key !== "");
  if (format !== Records_Format.EVENT_STREAM && keys.length > 0) {
    const names = keys.map(([name]) => name).join(", ");
    add(
      [],
      "records-keys",
      `${subject}: lines have no ${names}; set format: EVENT_STREAM, or take the keys away`,
    );
  }
  keys.forEach(([name, key], index) => {
    if (keys.findIndex(([, other]) => other === key) === index) return;
    add(
      [],
      "records-keys",
      `${subject}: \`${key}\` is the key of the ${name}, and of something else; name another`,
    );
  });
  end.forEach((text, index) => {
    if (text.trim() === "") add([5, index], "records-end", `${subject}: an empty text cannot end a stream`);
  });
  if (last !== undefined) {
    checkCondition(last, "", (place, code, text) =>
      add([6, ...place], code, `the condition for the last of the ${subject} ${text}`),
    );
  }
  if (idle !== undefined && !isPositive(idle)) {
    const seconds = Number(idle.seconds) + idle.nanos / 1e9;
    add([7], "records-idle", `${subject}: expected a pause of more than 0 s, got ${seconds} s`);
  }
}

function checkUpload({ contentType, part, filename }: Upload, desc: DescMethod, problems: Problems): void {
  for (const [name, number] of [
    [contentType, 2],
    [part, 3],
    [filename, 4],
  ] as const) {
    const field = desc.input.fields.find((candidate) => candidate.name === name);
    if (field === undefined || isString(field)) continue;
    const text = `upload of ${nameOf(desc)}: \`${name}\` must be a field of type string`;
    problems.add(desc, [RULES, RULE.upload, number], "stream-text", text);
  }
}

function isString(field: DescField): boolean {
  return field.fieldKind === "scalar" && field.scalar === ScalarType.STRING;
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
    problems.add(desc, [RULES, RULE[rule], ...place], "dotted-path", `${rule} of ${nameOf(desc)}: ${fault}`);
  }
}
