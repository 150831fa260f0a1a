/** Finds rules that list a value twice. */
import {
  type AnyDesc,
  type DescField,
  type DescMessage,
  type DescMethod,
  getOption,
  type Message,
} from "@bufbuild/protobuf";
import { type ReflectMessage, reflect } from "@bufbuild/protobuf/reflect";
import { RULES } from "../diagnostics/option-path.ts";
import { nameOf, type OptionPath } from "../diagnostics/problem.ts";
import { field, message, method, oneof, service } from "../gen/connectrest/v1/annotations_pb.ts";
import {
  FieldRulesSchema,
  MessageRulesSchema,
  OneofRulesSchema,
} from "../gen/connectrest/v1/field_rules_pb.ts";
import {
  EnvelopeSchema,
  MethodRulesSchema,
  ServiceRulesSchema,
} from "../gen/connectrest/v1/method_rules_pb.ts";
import { PaginateSchema } from "../gen/connectrest/v1/stream_rules_pb.ts";

type Report = (desc: AnyDesc, place: OptionPath, text: string) => void;

const SCHEMAS: readonly DescMessage[] = [
  FieldRulesSchema,
  MessageRulesSchema,
  MethodRulesSchema,
  OneofRulesSchema,
  ServiceRulesSchema,
];

/** The lists that other checks compare. */
export const COMPARED_ELSEWHERE: ReadonlySet<DescField> = new Set([
  MethodRulesSchema.field.success,
  MethodRulesSchema.field.credentials,
  MethodRulesSchema.field.credentialFields,
  ServiceRulesSchema.field.credentials,
  EnvelopeSchema.field.empty,
  PaginateSchema.field.empty,
  FieldRulesSchema.field.aliases,
]);

/** Reports values that the rules of a method and its service list twice. */
export function checkListedTwice(desc: DescMethod, add: Report): void {
  note(desc.parent, getOption(desc.parent, service), add);
  note(desc, getOption(desc, method), add);
}

/** Reports values that the rules of a message, its fields and its oneofs list twice. */
export function checkMessageListsTwice(desc: DescMessage, add: Report): void {
  note(desc, getOption(desc, message), add);
  for (const each of desc.fields) note(each, getOption(each, field), add);
  for (const each of desc.oneofs) note(each, getOption(each, oneof), add);
}

function note(desc: AnyDesc, rules: Message, add: Report): void {
  const schema = SCHEMAS.find(({ typeName }) => typeName === rules.$typeName);
  if (schema === undefined) return;
  for (const { list, value, place } of repeatedIn(reflect(schema, rules), [RULES])) {
    const text = `${list.name} of ${nameOf(desc)} lists \`${value}\` twice; remove one`;
    add(desc, place, text);
  }
}

interface Repeated {
  readonly list: DescField;
  readonly value: string;
  readonly place: OptionPath;
}

function* repeatedIn(rules: ReflectMessage, place: OptionPath): Generator<Repeated> {
  for (const each of rules.fields) {
    if (!rules.isSet(each)) continue;
    const at = [...place, each.number];
    if (each.fieldKind === "message") {
      yield* repeatedIn(rules.get(each), at);
    } else if (each.fieldKind === "list") {
      const values = [...rules.get(each)];
      for (const [index, value] of values.entries()) {
        if (each.listKind === "message") {
          yield* repeatedIn(value as ReflectMessage, [...at, index]);
        } else if (!COMPARED_ELSEWHERE.has(each) && values.indexOf(value) < index) {
          yield { list: each, value: String(value), place: [...at, index] };
        }
      }
    }
  }
}
