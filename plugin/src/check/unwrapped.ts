/** Checks oneofs whose member replaces the message in JSON: `layout: UNWRAPPED`. */
import {
  type DescField,
  type DescMessage,
  type DescMethod,
  type DescOneof,
  ScalarType,
} from "@bufbuild/protobuf";
import { RULES } from "../diagnostics/option-path.ts";
import { nameOf, type Problems } from "../diagnostics/problem.ts";
import { FieldRulesSchema, OneofRulesSchema } from "../gen/connectrest/v1/field_rules_pb.ts";
import { containerType, type TypeModels, unwrappedOneof } from "../model/types.ts";

const WHEN = FieldRulesSchema.field.when.number;
const LAYOUT = OneofRulesSchema.field.layout.number;
const DISCRIMINATOR = OneofRulesSchema.field.discriminator.number;
const EXAMPLE = 'when: {type: "object"}';

/** Reports members that share a JSON type, so that the type of a value does not identify the member. */
export function checkUnwrapped(oneof: DescOneof, types: TypeModels, problems: Problems): void {
  const { discriminator, fallback } = types.oneof(oneof);
  const name = nameOf(oneof);
  const others = oneof.parent.members.filter((member) => member !== oneof);
  const [other] = others;
  if (other !== undefined) {
    const text = `the oneof ${name} has the layout UNWRAPPED, so its member stands in place of the message, which has no room for \`${other.name}\`; move it, or use another layout`;
    problems.add(oneof, [RULES, LAYOUT], "unwrapped-alone", text);
  }
  if (discriminator !== "") {
    const text = `discriminator of the oneof ${name} has no effect: the layout UNWRAPPED goes by JSON types; remove it`;
    problems.add(oneof, [RULES, DISCRIMINATOR], "no-effect", text);
  }
  const chosen = new Map<string, DescField>();
  for (const field of oneof.fields) {
    if (field.name !== fallback) checkMember(field, chosen, types, problems);
  }
}

function checkMember(
  field: DescField,
  chosen: Map<string, DescField>,
  types: TypeModels,
  problems: Problems,
): void {
  const add = (text: string) => problems.add(field, [RULES, WHEN], "unwrapped-type", text);
  const { conditions } = types.field(field);
  if (conditions.length === 0) add(`${nameOf(field)} needs a JSON type; add e.g. ${EXAMPLE}`);
  for (const { key, values, present, type = "" } of conditions) {
    if (type === "" || key !== "" || values !== undefined || present !== undefined) {
      add(`the condition of ${nameOf(field)} may name a type and nothing else, e.g. ${EXAMPLE}`);
      continue;
    }
    const other = chosen.get(type);
    if (other !== undefined) {
      add(`\`${type}\` already selects \`${other.name}\`; remove it from ${nameOf(field)}`);
    }
    chosen.set(type, field);
    const fitting = fittingTypes(field, types);
    if (fitting !== undefined && !fitting.includes(type)) {
      add(`${nameOf(field)} is no ${type} in JSON; expected ${fitting.join(" or ")}`);
    }
  }
}

/** Returns the JSON types that a member can hold without loss; undefined for a member with a special form. */
function fittingTypes(field: DescField, types: TypeModels): readonly string[] | undefined {
  if (field.fieldKind === "enum") return ["string", "number"];
  if (field.fieldKind === "message") {
    const type = containerType(field, field.message, types);
    return type && [type];
  }
  if (field.fieldKind !== "scalar") return undefined;
  switch (field.scalar) {
    case ScalarType.STRING:
      return ["string", "number", "boolean"];
    case ScalarType.BYTES:
      return ["string"];
    case ScalarType.BOOL:
      return ["boolean"];
    default:
      return ["number", "string"];
  }
}

/**
 * Reports unwrapped oneofs in requests that cannot be sent. The request message itself consists of its
 * fields, and parameters have no JSON types that identify the member.
 *
 * @param inParameters the messages that are sent as parameters
 */
export function checkUnwrappedRequest(
  method: DescMethod,
  inParameters: Iterable<DescMessage>,
  types: TypeModels,
  problems: Problems,
): void {
  const own = unwrappedOneof(method.input, types);
  if (own !== undefined) {
    const text = `the oneof ${nameOf(own)} has the layout UNWRAPPED, but ${nameOf(method.input)} is the request of ${nameOf(method)}, whose fields have places of their own; move the oneof to a message, and name the field of that message as the body`;
    problems.add(own, [RULES, LAYOUT], "unwrapped-request", text);
  }
  for (const message of inParameters) {
    const oneof = unwrappedOneof(message, types);
    const texts = (oneof?.fields ?? []).filter((field) => !isContainer(field, types));
    if (oneof === undefined || texts.length < 2) continue;
    const names = texts.map(({ name }) => `\`${name}\``).join(" and ");
    const text = `${names} of the oneof ${nameOf(oneof)} would be the same text in a parameter of ${nameOf(method)}, which has no JSON types; leave one of them, or use a JSON body`;
    problems.add(oneof, [RULES, LAYOUT], "unwrapped-request", text);
  }
}

/** Reports whether a member is always an object or a list. */
function isContainer(field: DescField, types: TypeModels): boolean {
  const { conditions } = types.field(field);
  return conditions.length > 0 && conditions.every(({ type }) => type === "object" || type === "array");
}
