/** Checks that requests can reach each binding of a method. */
import { HTTP } from "../diagnostics/option-path.ts";
import { nameOf, type Problems } from "../diagnostics/problem.ts";
import { HttpRuleSchema } from "../gen/google/api/http_pb.ts";
import type { BindingModel, MethodModel } from "../model/model.ts";
import { type PatternSegment, patternText, variablesOf } from "../model/path-template.ts";

/**
 * Returns the bindings that no request reaches, because an earlier binding takes all requests that match
 * them.
 */
export function unreachable(method: MethodModel): BindingModel[] {
  return method.bindings.filter((_binding, index) => earlierCover(method, index) >= 0);
}

/** Reports bindings that no request reaches. */
export function checkBindings(method: MethodModel, problems: Problems): void {
  const { desc } = method;
  method.bindings.forEach((_binding, index) => {
    const earlier = earlierCover(method, index);
    if (earlier < 0) return;
    const text = `binding ${index + 1} of ${nameOf(desc)} is unreachable: every request that fills its path also fills that of binding ${earlier + 1}, which is tried first`;
    problems.add(
      desc,
      [HTTP, HttpRuleSchema.field.additionalBindings.number, index - 1],
      "binding-unreachable",
      text,
    );
  });
}

/**
 * Returns the index of the first binding that takes all requests of a later binding; -1 if no binding does.
 */
function earlierCover({ bindings, rules }: MethodModel, index: number): number {
  const later = bindings[index];
  return bindings
    .slice(0, index)
    .findIndex((earlier) => later !== undefined && covers(earlier, later, !rules.rejectSlash));
}

/**
 * Reports whether every request that fills the path of the later binding also fills the path of the earlier
 * one.
 */
function covers(earlier: BindingModel, later: BindingModel, escapesSlash: boolean): boolean {
  const patterns = patternsOf(later);
  return [...patternsOf(earlier)].every(([field, pattern]) => {
    const other = patterns.get(field);
    if (other === undefined) return false;
    return (escapesSlash && patternText(pattern) === "*") || includes(pattern, other);
  });
}

function patternsOf({ template }: BindingModel): Map<string, readonly PatternSegment[]> {
  return new Map(variablesOf(template).map(({ fieldPath, segments }) => [fieldPath, segments]));
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
