/** Checks that each binding of a method can be reached. */
import { HTTP } from "../descriptors/options.ts";
import { nameOf, type Problems } from "../diagnostics/problem.ts";
import type { BindingModel, MethodModel } from "../model/model.ts";
import { type PatternSegment, patternText } from "../model/path-template.ts";

/** Field number of google.api.HttpRule.additional_bindings. */
const ADDITIONAL_BINDINGS = 11;

/** The bindings that no request gets to, since an earlier one takes all that would fill them. */
export function unreachable(bindings: readonly BindingModel[]): BindingModel[] {
  return bindings.filter((binding, index) => earlierCover(bindings, index, binding) >= 0);
}

/** Reports bindings that no request gets to. */
export function checkBindings({ desc, bindings }: MethodModel, problems: Problems): void {
  bindings.forEach((binding, index) => {
    const earlier = earlierCover(bindings, index, binding);
    if (earlier < 0) return;
    const text = `binding ${index + 1} of ${nameOf(desc)} is never used: whatever fills its path fills that of binding ${earlier + 1}, which is tried first`;
    problems.add(desc, [HTTP, ADDITIONAL_BINDINGS, index - 1], "binding-unreachable", text);
  });
}

function earlierCover(bindings: readonly BindingModel[], index: number, binding: BindingModel): number {
  return bindings.slice(0, index).findIndex((candidate) => covers(candidate, binding));
}

/** Whether every request that fills the later binding's path fills the earlier one's. */
function covers(earlier: BindingModel, later: BindingModel): boolean {
  const patterns = patternsOf(later);
  return [...patternsOf(earlier)].every(([field, pattern]) => {
    const other = patterns.get(field);
    return other !== undefined && includes(pattern, other);
  });
}

function patternsOf({ template }: BindingModel): Map<string, readonly PatternSegment[]> {
  return new Map(
    template.segments.flatMap((segment) =>
      segment.kind === "variable" ? [[segment.fieldPath, segment.segments] as const] : [],
    ),
  );
}

function includes(wide: readonly PatternSegment[], narrow: readonly PatternSegment[]): boolean {
  if (patternText(wide) === patternText(narrow)) return true;
  const deep = wide.findIndex((part) => part.kind === "wildcard" && part.deep);
  if (deep >= 0 && deep < wide.length - 1) return false;
  if (deep >= 0 ? narrow.length < wide.length : narrow.length !== wide.length) return false;
  return wide.every((part, index) => {
    const other = narrow[index];
    if (part.kind === "literal") return other?.kind === "literal" && other.text === part.text;
    return part.deep || other?.kind === "literal" || (other?.kind === "wildcard" && !other.deep);
  });
}
