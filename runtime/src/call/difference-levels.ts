import type { DescMethod } from "@bufbuild/protobuf";
import {
  DIFFERENCE_CLASSES,
  type DifferenceClass,
  type DifferenceLevel,
  type DifferenceLevels,
} from "connect-rest-codec/internal";
import type { AnyMethodAdapter } from "../adapter/adapter.ts";
import { restError } from "../errors/rest-error.ts";
import { suggest } from "../text/suggest.ts";
import type { RestOptions } from "./options.ts";

const LEVELS: ReadonlySet<unknown> = new Set<DifferenceLevel>(["ignore", "log", "fail"]);

/** A method's level for each class of difference. */
export type MethodLevels = Readonly<Record<DifferenceClass, DifferenceLevel>>;

/**
 * Returns a function that returns the levels of a method. The longest matching pattern takes precedence, then
 * the setting of the method's upstream, then `differences` itself or `strict`.
 *
 * @throws ConnectError reason OPTION_INVALID for an invalid level, and for a setting without effect
 */
export function differenceLevels(
  options: Pick<RestOptions, "strict" | "differences" | "upstreams" | "adapters">,
): (adapter: AnyMethodAdapter) => MethodLevels {
  const { methods = {}, ...all } = options.differences ?? {};
  check("differences", all);
  checkObject("differences.methods", methods);
  for (const [pattern, levels] of Object.entries(methods)) check(`differences.methods["${pattern}"]`, levels);
  for (const [name, { differences }] of Object.entries(options.upstreams)) {
    check(`upstreams.${name}.differences`, differences ?? {});
  }
  for (const { path, expected, got } of idleLevels(options)) {
    throw restError("OPTION_INVALID", { option: path.join("."), expected, got });
  }
  const known = new Map<DescMethod, MethodLevels>();
  return ({ method, rules }) => {
    const found = known.get(method);
    if (found !== undefined) return found;
    const patterns = Object.keys(methods)
      .filter((pattern) => matchesMethod(pattern, method))
      .toSorted((a, b) => b.length - a.length);
    const upstream = options.upstreams[rules.upstream]?.differences;
    const chain = [...patterns.map((pattern) => methods[pattern]), upstream, all];
    const levelOf = (each: DifferenceClass, otherwise: DifferenceLevel) =>
      chain.map((levels) => levels?.[each]).find((level) => level !== undefined) ?? otherwise;
    const levels = {
      additional: levelOf("additional", "log"),
      converted: levelOf("converted", "log"),
      lost: levelOf("lost", options.strict === true ? "fail" : "log"),
    };
    known.set(method, levels);
    return levels;
  };
}

/**
 * Reports whether a pattern matches a method: `package.Service/Method`, `package.Service`, or a prefix of
 * either followed by `*`.
 */
export function matchesMethod(
  pattern: string,
  method: { readonly name: string; readonly parent: { readonly typeName: string } },
): boolean {
  const service = method.parent.typeName;
  const path = `${service}/${method.name}`;
  return pattern.endsWith("*")
    ? path.startsWith(pattern.slice(0, -1))
    : pattern === service || pattern === path;
}

/** A setting without effect: its path, and the values that would have an effect. */
export interface IdleLevel {
  readonly path: readonly string[];
  readonly expected: string;
  readonly got: string;
}

/**
 * Finds names in `differences.methods` that match no adapter, and a value of `differences.lost` that
 * contradicts `strict`.
 */
export function idleLevels({
  adapters,
  differences: { methods = {}, lost } = {},
  strict,
}: Pick<RestOptions, "strict" | "differences" | "adapters">): IdleLevel[] {
  const served = adapters.flatMap((adapter) => Object.values(adapter.methods).map(({ method }) => method));
  const names = new Set(
    served.flatMap((method) => {
      const { typeName, file } = method.parent;
      return [`${typeName}/${method.name}`, typeName, `${typeName}/*`, `${file.proto.package}.*`];
    }),
  );
  const unknown = Object.keys(methods)
    .filter((pattern) => !served.some((method) => matchesMethod(pattern, method)))
    .map((pattern) => {
      const near = suggest(pattern, names);
      const expected = near === undefined ? "a method or a service of an adapter" : `\`${near}\``;
      return { path: ["differences", "methods", pattern], expected, got: "a name that no adapter has" };
    });
  const contradicts = strict === true && lost !== undefined && lost !== "fail";
  const expected = "`fail`, since `strict` is set; remove one of them";
  return contradicts
    ? [...unknown, { path: ["differences", "lost"], expected, got: `\`${lost}\`` }]
    : unknown;
}

function check(option: string, levels: DifferenceLevels): void {
  checkObject(option, levels);
  for (const [name, level] of Object.entries<unknown>(levels)) {
    if (!DIFFERENCE_CLASSES.some((each) => each === name)) {
      throw restError("OPTION_INVALID", { option, expected: DIFFERENCE_CLASSES.join(", "), got: name });
    }
    if (level !== undefined && !LEVELS.has(level)) {
      const expected = "ignore, log or fail";
      throw restError("OPTION_INVALID", { option: `${option}.${name}`, expected, got: String(level) });
    }
  }
}

function checkObject(option: string, value: unknown): void {
  if (typeof value === "object" && value !== null) return;
  throw restError("OPTION_INVALID", { option, expected: "an object", got: String(value) });
}
