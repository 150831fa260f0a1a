import type { When } from "../gen/connectrest/v1/field_rules_pb.ts";
import type { Frozen } from "../model/freeze.ts";
import type { ConditionModel, RequestConditionModel } from "../model/rules.ts";

/** Parses a condition of a rule. Empty parts are omitted. */
export function parseCondition({ key, values, present, type }: Frozen<When>): ConditionModel {
  return {
    key,
    ...(values.length === 0 ? {} : { values }),
    ...(present === undefined ? {} : { present }),
    ...(type === "" ? {} : { type }),
  };
}

/** Parses a condition on a field of the request. */
export function parseRequestCondition({ key, values, present }: Frozen<When>): RequestConditionModel {
  return {
    field: key,
    ...(values.length === 0 ? {} : { values }),
    ...(present === undefined ? {} : { present }),
  };
}
