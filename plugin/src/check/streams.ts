/** Checks the rules of streams, where they are sound in themselves. */
import { type DescField, type DescMethod, ScalarType } from "@bufbuild/protobuf";
import { methodRules, RULES } from "../descriptors/options.ts";
import { nameOf, type Problems } from "../diagnostics/problem.ts";
import type { Paginate, Poll, Upload } from "../gen/connectrest/v1/stream_rules_pb.ts";
import { headerFault, pathFault } from "./syntax.ts";

/** Field numbers of the stream rules in MethodRules. */
const RULE = { paginate: 27, poll: 28, upload: 29 } as const;

/** Where a path is in a rule, and whether it may be the root. */
type PathPlace = readonly [path: string, place: readonly number[], root: "root" | "no root"];

/** Reports what no stream can do. */
export function checkStreams(desc: DescMethod, problems: Problems): void {
  const { paginate, poll, upload } = methodRules(desc);
  if (paginate !== undefined) checkPaginate(paginate, desc, problems);
  if (poll !== undefined) checkPoll(poll, desc, problems);
  if (upload !== undefined) checkUpload(upload, desc, problems);
}

function checkPaginate({ items, next, maxPages }: Paginate, desc: DescMethod, problems: Problems): void {
  const paths: PathPlace[] = [[items, [1], "root"]];
  if (next.case === "link") paths.push([next.value, [2], "root"]);
  if (next.case === "cursor") paths.push([next.value.path, [6, 1], "no root"]);
  if (next.case === "lastItem") paths.push([next.value.path, [7, 1], "no root"]);
  checkPaths(paths, "paginate", desc, problems);
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
  if (interval !== undefined && (interval.seconds < 0n || interval.nanos < 0 || isZero(interval))) {
    const seconds = Number(interval.seconds) + interval.nanos / 1e9;
    const text = `poll of ${nameOf(desc)}: expected an interval of more than 0 s, got ${seconds} s`;
    problems.add(desc, [RULES, RULE.poll, 4], "poll-interval", text);
  }
}

function isZero({ seconds, nanos }: { seconds: bigint; nanos: number }): boolean {
  return seconds === 0n && nanos === 0;
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
