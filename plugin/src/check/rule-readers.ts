/** Finds rules that read one place of a response in ways that contradict each other. */
import type { DescMethod, DescService } from "@bufbuild/protobuf";
import { RULES } from "../diagnostics/option-path.ts";
import { nameOf, type OptionPath, type Problems } from "../diagnostics/problem.ts";
import { WhenSchema } from "../gen/connectrest/v1/field_rules_pb.ts";
import { EnvelopeSchema, MethodRulesSchema } from "../gen/connectrest/v1/method_rules_pb.ts";
import { CursorSchema, PaginateSchema } from "../gen/connectrest/v1/stream_rules_pb.ts";
import type { MethodAnnotation, ServiceAnnotation } from "../model/annotations.ts";
import { namesOf } from "../model/dotted-path.ts";

const { field: RULE } = MethodRulesSchema;
const { field: PAGINATE } = PaginateSchema;
const { field: ENVELOPE } = EnvelopeSchema;

/** A rule that reads the value at a path. */
interface Reader {
  readonly name: string;
  readonly path: string;
  readonly place: OptionPath;
  /** Whether the value is a string, a number or a boolean, so that no path leads into it. */
  readonly isScalar: boolean;
}

/** Pairs of rules that may read the same value. */
const SHARED: ReadonlySet<string> = new Set([
  // the type or value of a link or a cursor may show whether the link or cursor leads to a page
  "link more",
  "cursor more",
  // error items may be one text, which is also the message
  "message errors",
]);

/** Reports rules of `paginate` that read the same value, or a value inside a scalar of another rule. */
export function checkPageReaders(desc: DescMethod, { paginate }: MethodAnnotation, problems: Problems): void {
  if (paginate === undefined) return;
  const { items, next, linkQuery, total, more } = paginate;
  const { key = "", values = [], type = "" } = more ?? {};
  const { value: cursor } = next.case === "cursor" ? next : {};
  const isScalar = values.length > 0 || ["string", "number", "boolean"].includes(type);
  const readers = [
    ...readerOf("items", items, [PAGINATE.items.number, 0], false),
    ...readerOf("link", next.case === "link" ? [next.value] : [], [PAGINATE.link.number], false),
    ...readerOf("cursor", cursor?.path, [PAGINATE.cursor.number, CursorSchema.field.path.number, 0], true),
    ...readerOf("link_query", [linkQuery], [PAGINATE.linkQuery.number], false),
    ...readerOf("total", [total], [PAGINATE.total.number], true),
    ...readerOf("more", [key], [PAGINATE.more.number, WhenSchema.field.key.number], isScalar),
  ];
  checkPairs(readers, ([place, text]) => {
    const at = [RULES, RULE.paginate.number, ...place];
    problems.add(desc, at, "read-twice", `paginate of ${nameOf(desc)}: ${text}`);
  });
}

/** Reports paths of the envelope that read the same value, or a value inside a value of another path. */
export function checkEnvelopeReaders(
  desc: DescService | DescMethod,
  { envelope }: ServiceAnnotation | MethodAnnotation,
  problems: Problems,
): void {
  if (envelope === undefined) return;
  const { payload, status, message, errors } = envelope;
  const readers = [
    ...readerOf("payload", payload, [ENVELOPE.payload.number, 0], false),
    ...readerOf("status", [status], [ENVELOPE.status.number], true),
    ...readerOf("message", [message], [ENVELOPE.message.number], true),
    ...readerOf("errors", [errors], [ENVELOPE.errors.number], false),
  ];
  checkPairs(readers, ([place, text]) => {
    const at = [RULES, RULE.envelope.number, ...place];
    problems.add(desc, at, "read-twice", `the envelope of ${nameOf(desc)}: ${text}`);
  });
}

/** Returns the reader of a path; none if a rule has several paths, which are alternatives. */
function readerOf(
  name: string,
  [path = "", ...others]: readonly string[] = [],
  place: OptionPath,
  isScalar: boolean,
): Reader[] {
  const isRoot = path === "" || path === ".";
  return isRoot || others.length > 0 ? [] : [{ name, path, place, isScalar }];
}

function checkPairs(
  readers: readonly Reader[],
  report: (fault: readonly [place: OptionPath, text: string]) => void,
): void {
  readers.forEach((reader, index) => {
    for (const earlier of readers.slice(0, index)) {
      const [outer, inner] =
        namesOf(reader.path).length < namesOf(earlier.path).length ? [reader, earlier] : [earlier, reader];
      const [steps, below] = [namesOf(outer.path), namesOf(inner.path)];
      if (!steps.every((step, at) => step === below[at])) continue;
      if (steps.length === below.length) {
        // another check reports rules that read the items
        if (earlier.name === "items" || SHARED.has(`${earlier.name} ${reader.name}`)) continue;
        const remedy = "one value cannot mean both; correct one of the paths";
        report([reader.place, `${earlier.name} and ${reader.name} both read \`${reader.path}\`; ${remedy}`]);
      } else if (outer.isScalar) {
        const text = `${inner.name} reads \`${inner.path}\`, but ${outer.name} reads \`${outer.path}\`, which is a string, a number or a boolean; correct one of the paths`;
        report([inner.place, text]);
      }
    }
  });
}
