/** Finds known keys that a rule or a field reads. */
import { RULES } from "../diagnostics/option-path.ts";
import { nameOf, type OptionPath, type Problems } from "../diagnostics/problem.ts";
import { EnvelopeSchema, MethodRulesSchema } from "../gen/connectrest/v1/method_rules_pb.ts";
import { PaginateSchema, PollSchema } from "../gen/connectrest/v1/stream_rules_pb.ts";
import type { MethodAnnotation } from "../model/annotations.ts";
import { readPaths } from "../model/declared-keys.ts";
import { namesOf } from "../model/dotted-path.ts";
import type { MethodModel } from "../model/model.ts";
import type { TypeModels } from "../model/types.ts";

const { field: RULE } = MethodRulesSchema;

/** A path that is read, and the name of its reader in messages. */
interface Read {
  readonly steps: readonly string[];
  readonly reader: string;
}

/**
 * Reports known keys that something reads, or that have such a key below them: if the upstream renamed the
 * key, its absence would be silent.
 */
export function checkKnown(method: MethodModel, types: TypeModels, problems: Problems): void {
  const { desc, annotation } = method;
  const inPage = readInPage(annotation);
  const { paginate, poll } = annotation;
  const known = [
    ["paginate", paginate?.known, [RULE.paginate.number, PaginateSchema.field.known.number]],
    ["poll", poll?.known, [RULE.poll.number, PollSchema.field.known.number]],
  ] as const;
  for (const [rule, paths = [], place] of known) {
    for (const [index, text] of faults(paths, inPage)) {
      problems.add(desc, [RULES, ...place, index], "known-read", `${rule} of ${nameOf(desc)}: ${text}`);
    }
  }
  const holder = annotation.envelope === undefined ? desc.parent : desc;
  const place: OptionPath = [RULE.envelope.number, EnvelopeSchema.field.known.number];
  const { known: paths = [] } = annotation.envelope ?? method.serviceAnnotation.envelope ?? {};
  for (const [index, text] of faults(paths, readInBody(method, inPage, types))) {
    problems.add(holder, [RULES, ...place, index], "known-read", `the envelope of ${nameOf(desc)}: ${text}`);
  }
}

/** Returns the index of each path with a fault, and the fault. */
function faults(paths: readonly string[], reads: readonly Read[]): Array<readonly [number, string]> {
  return paths.flatMap((path, index) => {
    const steps = namesOf(path);
    const found = reads.find((read) => steps.every((step, at) => step === read.steps[at]));
    if (found === undefined || steps.length === 0) return [];
    const key = found.steps.join(".");
    const isSame = found.steps.length === steps.length;
    const text = isSame
      ? `the known key \`${path}\` is read by ${found.reader}; remove it from known`
      : `the known key \`${path}\` covers \`${key}\`, which is read by ${found.reader}, so that a new name of \`${key}\` would not be reported; list the other keys below \`${path}\``;
    return [[index, text] as const];
  });
}

/** Returns the paths that rules read in the payload of a page. */
function readInPage({ paginate, poll }: MethodAnnotation): Read[] {
  if (poll !== undefined) return reads("items", [poll.items]);
  if (paginate === undefined) return [];
  const { items, next, linkQuery, total, more } = paginate;
  return [
    ...reads("items", items),
    ...reads("link", next.case === "link" ? [next.value] : []),
    ...reads("link_query", [linkQuery]),
    ...reads("cursor", next.case === "cursor" ? next.value.path : []),
    ...reads("total", [total]),
    ...reads("more", [more?.key ?? ""]),
  ];
}

/** Returns the paths that rules and fields read in a body. */
function readInBody(
  { desc, annotation, serviceAnnotation, stream }: MethodModel,
  inPage: readonly Read[],
  types: TypeModels,
): Read[] {
  const { payload = [], status = "", message = "" } = annotation.envelope ?? serviceAnnotation.envelope ?? {};
  const inPayload = [
    ...inPage,
    ...(stream === undefined ? desc.output.fields : []).flatMap((field) =>
      readPaths(field, types).map((steps) => ({ steps, reader: nameOf(field) })),
    ),
  ];
  const roots = payload.map(namesOf);
  return [
    ...reads("payload", payload),
    ...reads("status", [status]),
    ...reads("message", [message]),
    ...roots.flatMap((root) =>
      inPayload.map(({ steps, reader }) => ({ steps: [...root, ...steps], reader })),
    ),
  ];
}

function reads(reader: string, paths: readonly string[]): Read[] {
  return paths
    .map((path) => ({ steps: namesOf(path), reader: `\`${reader}\`` }))
    .filter(({ steps }) => steps.length > 0);
}
