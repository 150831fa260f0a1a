/** Parses the options of fields, oneofs and enum values. */
import {
  create,
  type DescEnumValue,
  type DescField,
  type DescMessage,
  type DescOneof,
  getOption,
  hasOption,
} from "@bufbuild/protobuf";
import { messageRulesOf } from "../descriptors/validate-rules.ts";
import { enum_value, field, message, oneof } from "../gen/connectrest/v1/annotations_pb.ts";
import {
  FieldRules_BytesEncoding as BytesOption,
  FieldRules_ValueEncoding as EncodingOption,
  type EnumValueRules,
  EnumValueRulesSchema,
  type FieldRules,
  FieldRulesSchema,
  OneofRules_Layout as LayoutOption,
  FieldRules_Location as Location,
  Mask_Unset,
  type OneofRules,
  OneofRulesSchema,
  FieldRules_Piece as PieceOption,
  type Source,
  FieldRules_Style as StyleOption,
  type Time,
  Time_Rounding,
  Time_Unit,
  Time_UnitSchema,
} from "../gen/connectrest/v1/field_rules_pb.ts";
import { FieldBehavior, field_behavior } from "../gen/google/api/field_behavior_pb.ts";
import { freeze } from "../model/freeze.ts";
import { type RuleText, ruleTexts } from "../model/rule-texts.ts";
import {
  type BytesEncoding,
  type EnumValueModel,
  type FieldModel,
  type Layout,
  type MaskModel,
  type OneofModel,
  type Piece,
  PLAIN_RULES,
  type Place,
  type SourceModel,
  type Style,
  type TimeModel,
  type TimeNotation,
  type TypeModels,
  type ValueEncoding,
} from "../model/types.ts";
import { parseCondition } from "./condition.ts";
import { once } from "./options.ts";

const PLACES: Readonly<Record<Location, Place | undefined>> = {
  [Location.LOCATION_UNSPECIFIED]: undefined,
  [Location.PATH]: "path",
  [Location.QUERY]: "query",
  [Location.HEADER]: "header",
  [Location.COOKIE]: "cookie",
  [Location.BODY]: "body",
  [Location.PART]: "part",
  [Location.OAUTH1_PARAM]: "oauth1_param",
  [Location.NOTHING]: "nothing",
};

const STYLES: Readonly<Record<StyleOption, Style | undefined>> = {
  [StyleOption.STYLE_UNSPECIFIED]: undefined,
  [StyleOption.REPEAT]: "repeat",
  [StyleOption.BRACKETS]: "brackets",
  [StyleOption.INDEXED]: "indexed",
  [StyleOption.COMMA]: "comma",
  [StyleOption.SPREAD]: "spread",
};

const BYTES: Readonly<Record<BytesOption, BytesEncoding | undefined>> = {
  [BytesOption.BYTES_ENCODING_UNSPECIFIED]: undefined,
  [BytesOption.BASE64]: "base64",
  [BytesOption.RAW]: "raw",
  [BytesOption.BASE64URL]: "base64url",
};

const ENCODINGS: Readonly<Record<EncodingOption, ValueEncoding | undefined>> = {
  [EncodingOption.VALUE_ENCODING_UNSPECIFIED]: undefined,
  [EncodingOption.PERCENT]: "percent",
  [EncodingOption.RFC_8187]: "rfc8187",
};

const PIECES: Readonly<Record<PieceOption, Piece | undefined>> = {
  [PieceOption.PIECE_UNSPECIFIED]: undefined,
  [PieceOption.PART_NAME]: "part_name",
  [PieceOption.CONTENT]: "content",
  [PieceOption.CONTENT_TYPE]: "content_type",
  [PieceOption.FILENAME]: "filename",
};

const LAYOUTS: Readonly<Record<LayoutOption, Layout | undefined>> = {
  [LayoutOption.LAYOUT_UNSPECIFIED]: undefined,
  [LayoutOption.FLATTENED]: "flattened",
  [LayoutOption.NESTED]: "nested",
  [LayoutOption.BESIDE]: "beside",
  [LayoutOption.UNWRAPPED]: "unwrapped",
};

const NOTATIONS: Readonly<Record<Time_Unit, TimeNotation>> = {
  [Time_Unit.UNIT_UNSPECIFIED]: "iso8601",
  [Time_Unit.SECONDS]: "seconds",
  [Time_Unit.MILLIS]: "millis",
  [Time_Unit.MICROS]: "micros",
  [Time_Unit.ISO_8601]: "iso8601",
  [Time_Unit.FORMAT]: "pattern",
  [Time_Unit.HTTP_DATE]: "http_date",
  [Time_Unit.RFC_2822]: "rfc2822",
  [Time_Unit.NANOS]: "nanos",
};

const UNSET: Readonly<Record<Mask_Unset, MaskModel["unset"]>> = {
  [Mask_Unset.UNSET_UNSPECIFIED]: undefined,
  [Mask_Unset.NULL]: "null",
  [Mask_Unset.EMPTY]: "empty",
};

const ROUNDINGS: Readonly<Record<Time_Rounding, TimeModel["rounding"]>> = {
  [Time_Rounding.ROUNDING_UNSPECIFIED]: undefined,
  [Time_Rounding.DOWN]: "down",
  [Time_Rounding.UP]: "up",
};

const PLAIN_FIELD: FieldModel = freeze(parseField(create(FieldRulesSchema)));

const PLAIN_ONEOF: OneofModel = freeze({ discriminator: "", layout: undefined, payload: "", fallback: "" });

const PLAIN_ENUM_VALUE: EnumValueModel = freeze({ wire: undefined, aliases: [] });

/** The models of elements, each parsed on first use. */
export const typeModels: TypeModels = {
  field: once(
    PLAIN_FIELD,
    (desc: DescField) => hasOption(desc, field),
    (desc) => parseField(getOption(desc, field)),
  ),
  required: once(
    false,
    (desc: DescField) => hasOption(desc, field_behavior),
    (desc) => getOption(desc, field_behavior).includes(FieldBehavior.REQUIRED),
  ),
  oneof: once(
    PLAIN_ONEOF,
    (desc: DescOneof) => hasOption(desc, oneof),
    (desc) => parseOneof(getOption(desc, oneof)),
  ),
  tuple: once(
    false,
    (desc: DescMessage) => hasOption(desc, message),
    (desc) => getOption(desc, message).tuple,
  ),
  enumValue: once(
    PLAIN_ENUM_VALUE,
    (desc: DescEnumValue) => hasOption(desc, enum_value),
    (desc) => parseEnumValue(getOption(desc, enum_value)),
  ),
  texts: textsOf,
  constraints: (desc: DescMessage) => freeze(messageRulesOf(desc) ?? {}),
};

const NO_TEXTS: readonly RuleText[] = freeze([]);

function textsOf(desc: DescField | DescOneof | DescEnumValue): readonly RuleText[] {
  switch (desc.kind) {
    case "field":
      return hasOption(desc, field) ? ruleTexts(FieldRulesSchema, getOption(desc, field)) : NO_TEXTS;
    case "oneof":
      return hasOption(desc, oneof) ? ruleTexts(OneofRulesSchema, getOption(desc, oneof)) : NO_TEXTS;
    case "enum_value":
      return hasOption(desc, enum_value)
        ? ruleTexts(EnumValueRulesSchema, getOption(desc, enum_value))
        : NO_TEXTS;
  }
}

function parseField(rules: FieldRules): FieldModel {
  return {
    ...plainRules(rules),
    place: PLACES[rules.in],
    style: STYLES[rules.style],
    sources: rules.from.map(parseSource),
    time: rules.time && parseTime(rules.time),
    number: rules.number,
    bytes: BYTES[rules.bytes],
    encoding: ENCODINGS[rules.encoding],
    conditions: rules.when.map(parseCondition),
    piece: PIECES[rules.piece],
    mask: rules.mask && { of: rules.mask.of, unset: UNSET[rules.mask.unset] },
  };
}

/** Returns the rules that need no parsing. */
function plainRules(rules: FieldRules): Pick<FieldModel, (typeof PLAIN_RULES)[number]> {
  const entries = PLAIN_RULES.map((name) => [name, rules[name]]);
  return Object.fromEntries(entries) as Pick<FieldRules, (typeof PLAIN_RULES)[number]>;
}

function parseSource({ source, rel }: Source): SourceModel {
  switch (source.case) {
    case "header":
      return { kind: "header", header: source.value, rel };
    case "status":
      return { kind: "status", status: source.value, rel };
    case "path":
      return { kind: "path", path: source.value, rel };
    default:
      return { kind: "none", rel };
  }
}

function parseTime({ unit, format, none, rounding }: Time): TimeModel {
  const name = Time_UnitSchema.value[unit]?.name ?? String(unit);
  return { notation: NOTATIONS[unit] ?? "iso8601", unit: name, format, none, rounding: ROUNDINGS[rounding] };
}

function parseOneof({ discriminator, layout, payload, fallback }: OneofRules): OneofModel {
  return { discriminator, layout: LAYOUTS[layout], payload, fallback };
}

function parseEnumValue(rules: EnumValueRules): EnumValueModel {
  return { wire: rules.wire, aliases: rules.aliases };
}
