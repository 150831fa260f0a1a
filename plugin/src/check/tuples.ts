/** Checks messages that are arrays in JSON: `tuple`. */
import type { DescMessage, DescMethod } from "@bufbuild/protobuf";
import { RULES } from "../diagnostics/option-path.ts";
import { nameOf, type Problems } from "../diagnostics/problem.ts";
import { MessageRulesSchema } from "../gen/connectrest/v1/field_rules_pb.ts";
import { type TypeModels, tupleFields } from "../model/types.ts";

const TUPLE = MessageRulesSchema.field.tuple.number;

/** Reports fields that are not an item of the array. */
export function checkTuple(message: DescMessage, types: TypeModels, problems: Problems): void {
  const { items, rest } = tupleFields(message, types);
  const fields = rest === undefined ? items : [...items, rest];
  const gap = fields.findIndex(({ number }, index) => number !== index + 1);
  const field = fields[gap];
  if (field !== undefined) {
    const text = `${nameOf(field)} has the number ${field.number}, but no field of the tuple ${nameOf(message)} has the number ${gap + 1}; number the fields by their places in the array, and declare an unused item as google.protobuf.Value`;
    problems.add(field, [], "tuple-number", text);
  }
  for (const oneof of message.oneofs) {
    const text = `the oneof ${nameOf(oneof)} is in the tuple ${nameOf(message)}, in which each field is an item; move the oneof to a message with the layout UNWRAPPED, and make this message an item`;
    problems.add(oneof, [], "tuple-oneof", text);
  }
}

/**
 * Reports tuples that cannot be sent. Each field of a request has its own place, and parameters have names.
 *
 * @param inParameters the messages that are sent as parameters
 */
export function checkTupleRequest(
  method: DescMethod,
  inParameters: Iterable<DescMessage>,
  types: TypeModels,
  problems: Problems,
): void {
  const add = (message: DescMessage, reason: string) =>
    problems.add(message, [RULES, TUPLE], "tuple-request", `the tuple ${nameOf(message)} is ${reason}`);
  if (types.tuple(method.input)) {
    const reason = `the request of ${nameOf(method)}, in which each field has its own place; make it a field of the request, and name this field as the body`;
    add(method.input, reason);
  }
  const reason = `sent in a parameter of ${nameOf(method)}, but parameters have names, and the items of a tuple have none; use a JSON body, or json_text: true on the field of the request`;
  for (const message of inParameters) {
    if (types.tuple(message)) add(message, reason);
  }
}
