import {
  type DescEnumValue,
  type DescField,
  type DescMethod,
  type DescOneof,
  type DescService,
  getOption,
  hasOption,
} from "@bufbuild/protobuf";
import { enum_value, field, method, oneof, service } from "../gen/connectrest/v1/annotations_pb.ts";
import type { EnumValueRules, FieldRules, OneofRules } from "../gen/connectrest/v1/field_rules_pb.ts";
import type { MethodRules, ServiceRules } from "../gen/connectrest/v1/method_rules_pb.ts";
import { http } from "../gen/google/api/annotations_pb.ts";
import type { HttpRule } from "../gen/google/api/http_pb.ts";

/** The field number of all extensions of connectrest.v1. */
export const RULES = 50871;
/** The field number of google.api.http. */
export const HTTP = 72295728;

export function serviceRules(desc: DescService): ServiceRules {
  return getOption(desc, service);
}

export function methodRules(desc: DescMethod): MethodRules {
  return getOption(desc, method);
}

export function fieldRules(desc: DescField): FieldRules {
  return getOption(desc, field);
}

export function oneofRules(desc: DescOneof): OneofRules {
  return getOption(desc, oneof);
}

export function enumValueRules(desc: DescEnumValue): EnumValueRules {
  return getOption(desc, enum_value);
}

/** The HTTP rule of a method; undefined when it has none. */
export function httpRule(desc: DescMethod): HttpRule | undefined {
  return hasOption(desc, http) ? getOption(desc, http) : undefined;
}
