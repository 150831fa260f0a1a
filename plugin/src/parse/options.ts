/** Reads the options of services and methods. */
import { create, type DescMethod, type DescService, getOption, hasOption } from "@bufbuild/protobuf";
import { method, service } from "../gen/connectrest/v1/annotations_pb.ts";
import { type Empty_Spelling, Empty_SpellingSchema } from "../gen/connectrest/v1/field_rules_pb.ts";
import { MethodRulesSchema, ServiceRulesSchema } from "../gen/connectrest/v1/method_rules_pb.ts";
import { http } from "../gen/google/api/annotations_pb.ts";
import type { HttpRule } from "../gen/google/api/http_pb.ts";
import type { MethodAnnotation, ServiceAnnotation } from "../model/annotations.ts";
import { freeze } from "../model/freeze.ts";

/**
 * Returns a function that reads an option of each descriptor only once, because decoding is expensive and
 * rules are read often. All descriptors without the option share `none`. The result is frozen.
 */
export function once<Desc extends object, T>(
  none: T,
  has: (desc: Desc) => boolean,
  read: (desc: Desc) => T,
): (desc: Desc) => T {
  const known = new WeakMap<Desc, T>();
  return (desc) => {
    if (!has(desc)) return none;
    const found = known.get(desc) ?? freeze(read(desc));
    known.set(desc, found);
    return found;
  };
}

export const serviceRules: (desc: DescService) => ServiceAnnotation = once(
  freeze(create(ServiceRulesSchema)),
  (desc: DescService) => hasOption(desc, service),
  (desc) => getOption(desc, service),
);

export const methodRules: (desc: DescMethod) => MethodAnnotation = once(
  freeze(create(MethodRulesSchema)),
  (desc: DescMethod) => hasOption(desc, method),
  (desc) => getOption(desc, method),
);

/** Reports whether a method has rules besides its HTTP rule and the rules of its service. */
export function hasMethodRules(desc: DescMethod): boolean {
  return hasOption(desc, method);
}

/** Returns the HTTP rule of a method; undefined if it has no rule. */
export function httpRule(desc: DescMethod): HttpRule | undefined {
  return hasOption(desc, http) ? getOption(desc, http) : undefined;
}

/**
 * Returns a dotted path without its root. Options write the root as `.`, since an empty string would look
 * like a mistake.
 */
export function rootless(path: string): string {
  return path === "." ? "" : path;
}

/** Returns the name that adapters use for a spelling of "empty". */
export function emptySpelling(spelling: Empty_Spelling): string {
  return (Empty_SpellingSchema.value[spelling]?.name ?? "").toLowerCase();
}
