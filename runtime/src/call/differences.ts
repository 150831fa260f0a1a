import type { Difference, DifferenceClass, DifferenceCounts } from "connect-rest-codec/internal";
import type { AnyMethodAdapter } from "../adapter/adapter.ts";
import { namesOf } from "../errors/names.ts";
import { redactTexts } from "../errors/redact.ts";
import { restError } from "../errors/rest-error.ts";
import type { Decoded } from "../response/decoded.ts";
import type { Secret } from "../text/secret.ts";
import type { CallSettings } from "./call-context.ts";
import type { MethodLevels } from "./difference-levels.ts";
import { notify } from "./notify.ts";

/**
 * Reports the differences of a message that are not ignored, and fails if the level of a class is `fail`.
 *
 * @param secrets values that reports must not contain
 * @param counted receives the counts before the call fails
 * @throws ConnectError reason RESPONSE_DRIFT
 */
export function reportDifferences(
  { differences: found, isSettled = false }: Pick<Decoded, "differences" | "isSettled">,
  adapter: AnyMethodAdapter,
  { options, levelsOf }: Pick<CallSettings, "options" | "levelsOf">,
  secrets: () => readonly Secret[],
  counted: (counts: DifferenceCounts) => void,
): void {
  if (found.list.length === 0) return;
  const { method, rules } = adapter;
  const { upstream } = rules;
  const levels = levelsOf(adapter);
  const differences = withoutSecrets(
    found.list.filter((each) => levels[each.class] !== "ignore"),
    secrets(),
  );
  if (differences.length === 0) return;
  const counts = countsOf(found.counts, levels);
  counted(counts);
  notify("onDifference", options.onDifference, { method, upstream, differences, counts });
  if (isSettled) return;
  const failing = differences.find((each) => levels[each.class] === "fail");
  if (failing !== undefined) throw driftError(adapter, failing);
}

/**
 * Redacts keys as well, since an upstream chooses the keys of its responses, and logs and metrics contain
 * them.
 */
function withoutSecrets(
  differences: readonly Difference[],
  secrets: readonly Secret[],
): readonly Difference[] {
  if (secrets.length === 0) return differences;
  const texts = redactTexts(
    differences.flatMap(({ path, got }) => [path, got]),
    secrets,
  );
  return differences.map((each, at) => {
    return { ...each, path: texts[2 * at] ?? "", got: texts[2 * at + 1] ?? "" };
  });
}

function driftError(adapter: AnyMethodAdapter, { path, expected, got: value }: Difference): Error {
  // keep only the type: the remaining text may be the value of a redacted field
  const [got = ""] = value.split(" ");
  return restError("RESPONSE_DRIFT", { ...namesOf(adapter), path, expected, got });
}

function countsOf(counts: DifferenceCounts, levels: MethodLevels): DifferenceCounts {
  const of = (each: DifferenceClass) => (levels[each] === "ignore" ? 0 : counts[each]);
  return { additional: of("additional"), converted: of("converted"), lost: of("lost") };
}

/** Adds two sets of counts. */
export function sumOf(a: DifferenceCounts, b: DifferenceCounts): DifferenceCounts {
  return {
    additional: a.additional + b.additional,
    converted: a.converted + b.converted,
    lost: a.lost + b.lost,
  };
}
