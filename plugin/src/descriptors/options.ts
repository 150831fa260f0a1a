import {
  create,
  type DescEnumValue,
  type DescField,
  type DescMethod,
  type DescOneof,
  type DescService,
  getOption,
  hasOption,
} from "@bufbuild/protobuf";
import { enum_value, field, method, oneof, service } from "../gen/connectrest/v1/annotations_pb.ts";
import {
  EnumValueRulesSchema,
  FieldRulesSchema,
  OneofRulesSchema,
} from "../gen/connectrest/v1/field_rules_pb.ts";
import { MethodRulesSchema, ServiceRulesSchema } from "../gen/connectrest/v1/method_rules_pb.ts";
import { http } from "../gen/google/api/annotations_pb.ts";
import type { HttpRule } from "../gen/google/api/http_pb.ts";

/** The field number of all extensions of connectrest.v1. */
export const RULES = 50871;
/** The field number of google.api.http. */
export const HTTP = 72295728;

export const serviceRules = once(
  create(ServiceRulesSchema),
  (desc: DescService) => hasOption(desc, service),
  (desc) => getOption(desc, service),
);

export const methodRules = once(
  create(MethodRulesSchema),
  (desc: DescMethod) => hasOption(desc, method),
  (desc) => getOption(desc, method),
);

export const fieldRules = once(
  create(FieldRulesSchema),
  (desc: DescField) => hasOption(desc, field),
  (desc) => getOption(desc, field),
);

export const oneofRules = once(
  create(OneofRulesSchema),
  (desc: DescOneof) => hasOption(desc, oneof),
  (desc) => getOption(desc, oneof),
);

export const enumValueRules = once(
  create(EnumValueRulesSchema),
  (desc: DescEnumValue) => hasOption(desc, enum_value),
  (desc) => getOption(desc, enum_value),
);

/** The HTTP rule of a method; undefined when it has none. */
export function httpRule(desc: DescMethod): HttpRule | undefined {
  return hasOption(desc, http) ? getOption(desc, http) : undefined;
}

/**
 * Reads an option of a descriptor once: decoding is dear, and rules are asked for all the time. What has none gets
 * `none`, which all share.
 */
function once<D extends object, R>(none: R, has: (desc: D) => boolean, read: (desc: D) => R): (desc: D) => R {
  const known = new WeakMap<D, R>();
  return (desc) => {
    if (!has(desc)) return none;
    const found = known.get(desc) ?? read(desc);
    known.set(desc, found);
    return found;
  };
}
