/** Finds values of conditions that no field of the tested key can have. */
import {
  type DescEnum,
  type DescField,
  type DescMessage,
  type DescOneof,
  ScalarType,
} from "@bufbuild/protobuf";
import { messageOf, scalarOf } from "../descriptors/well-known.ts";
import { suggest } from "../diagnostics/suggest.ts";
import { resolveKeys } from "../model/declared-keys.ts";
import type { TypeModels } from "../model/types.ts";
import { NUMBER } from "./conditions.ts";

/** The words that upstreams use for booleans, which a condition compares as they are. */
const BOOLEAN = /^(?:true|false|0|1|yes|no|y|n|on|off)$/i;

/**
 * Returns a fault for each value that a condition can never meet: all fields that read the key are of a type
 * without such a value. Keys that no field reads have any value.
 *
 * @param oneof the oneof whose condition is checked; its members and their fields do not count as readers
 */
export function impossibleValues(
  { key, values = [] }: { readonly key: string; readonly values?: readonly string[] },
  message: DescMessage,
  types: TypeModels,
  oneof?: DescOneof,
): Array<readonly [index: number, fault: string]> {
  if (key === "" || values.length === 0) return [];
  const found = resolveKeys(message, key, types);
  const isOutside = (field: DescField) =>
    oneof?.fields.every((member) => member !== field && messageOf(member) !== field.parent) ?? true;
  const readers = found.undeclared === undefined ? found.fields.filter(isOutside) : [];
  if (readers.length === 0) return [];
  return values.flatMap((value, index) => {
    const faults = readers.map((field) => faultOf(value, field, types));
    const [first] = faults;
    return first === undefined || faults.includes(undefined) ? [] : [[index, first] as const];
  });
}

function faultOf(value: string, field: DescField, types: TypeModels): string | undefined {
  const { jsonText, unknown, absent } = types.field(field);
  if (jsonText || unknown || absent.includes(value)) return undefined;
  if (field.fieldKind === "list" || field.fieldKind === "map") return undefined;
  if (field.fieldKind === "enum") return enumFault(value, field.enum, types);
  switch (scalarOf(field)) {
    case undefined:
    case ScalarType.STRING:
    case ScalarType.BYTES:
      return undefined;
    case ScalarType.BOOL:
      return BOOLEAN.test(value) ? undefined : `\`${field.name}\` is a bool, which is never \`${value}\``;
    default:
      return NUMBER.test(value) ? undefined : `\`${field.name}\` is a number, which is never \`${value}\``;
  }
}

function enumFault(value: string, desc: DescEnum, types: TypeModels): string | undefined {
  if (desc.file.proto.package === "google.protobuf") return undefined;
  const spellings = desc.values.flatMap((each) => {
    const { wire, aliases } = types.enumValue(each);
    return [wire || each.name, ...aliases];
  });
  const numbers = desc.values.map(({ number }) => String(number));
  if ([...spellings, ...numbers].includes(value)) return undefined;
  const named = desc.values.find(({ name }) => name === value);
  const hint =
    named === undefined
      ? suggest(value, spellings)
      : ` (${value} is \`${types.enumValue(named).wire}\` on the wire)`;
  return `no value of ${desc.typeName} is \`${value}\` on the wire${hint}`;
}
