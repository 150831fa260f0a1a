import type { Json } from "../json.ts";
import { jsonName } from "../names/words.ts";
import { type Field, type FieldType, type Message, type OptionValue, Token } from "../proto/model.ts";

type Rules = { readonly [key: string]: OptionValue | undefined };

/** Strings by the rule that they obey. */
const FORMATS: Readonly<Record<string, string>> = {
  email: "a@example.com",
  hostname: "example.com",
  ipv4: "192.0.2.1",
  ipv6: "2001:db8::1",
  uri: "https://example.com",
  uuid: "00000000-0000-4000-8000-000000000000",
};

/** Texts to be repeated, of which one often obeys a pattern. */
const TEXTS = [
  "1",
  "a",
  "A",
  "a1",
  "true",
  "2026-01-01",
  "00:00",
  "a@example.com",
  "https://example.com",
  "#",
];

/** Values of messages of other files. */
const FOREIGN: Readonly<Record<string, Json>> = {
  "google.protobuf.Timestamp": "2026-01-01T00:00:00Z",
  "google.protobuf.ListValue": [],
  "google.protobuf.Value": "1",
  "google.api.HttpBody": { contentType: "text/plain", data: "MQ==" },
};

/** A README shows no longer texts and lists. */
const MAX_LENGTH = 100;
/** The length of texts that are matched with patterns, since some patterns take exponential time. */
const MAX_MATCHED = 20;

/** Writes the smallest messages that the rules of their fields allow, as JSON. */
export class Sampler {
  /** The number of fields for which no allowed value was found. */
  gaps = 0;
  private readonly pending = new Set<Message>();

  /** @param variables the JSON names of fields that a path requires */
  message(message: Message, variables: ReadonlySet<string> = new Set()): Json {
    // only a message that requires itself is pending
    if (this.pending.has(message)) return this.gap({});
    this.pending.add(message);
    const chosen = message.fields.filter((field) => {
      const alternatives = message.fields.filter(({ oneof }) => oneof?.name === field.oneof?.name);
      if (field.oneof !== undefined) return alternatives[0] === field;
      return variables.has(jsonName(field.name)) || isNeeded(field);
    });
    const entries = chosen.map((field) => [jsonName(field.name), this.field(field)] as const);
    this.pending.delete(message);
    return Object.fromEntries(entries.filter(([, value]) => value !== undefined)) as Json;
  }

  private field(field: Field): Json | undefined {
    const rules = rulesOf(field);
    if (field.label !== "repeated" && field.label !== "map") return this.value(field.type, rules);
    const { min_items, min_pairs, unique, items, values } = inner(
      rules,
      field.label === "map" ? "map" : "repeated",
    );
    // a list may be empty, which ends a message that contains itself
    const isEndless = field.type.kind === "message" && this.pending.has(field.type.message);
    const count = Math.max(Number(min_items ?? min_pairs ?? 0), isRequired(field) && !isEndless ? 1 : 0);
    if (count === 0) return undefined;
    const value = this.value(field.type, asRules(items ?? values));
    if (count > MAX_LENGTH || (unique === true && count > 1)) return this.gap([value]);
    const all = Array.from({ length: count }, () => value);
    return field.label === "map" ? Object.fromEntries(all.map((each, index) => [`${index + 1}`, each])) : all;
  }

  private value(type: FieldType, rules: Rules): Json {
    if (type.kind === "message") return this.message(type.message);
    if (type.kind === "foreign") return FOREIGN[type.name] ?? {};
    if (type.kind === "enum") {
      const [zero, first = zero] = type.enumeration.values;
      return first?.name ?? 0;
    }
    const own = inner(rules, type.name);
    const only = own.const ?? (Array.isArray(own.in) ? own.in[0] : own.in);
    if (only !== undefined) return jsonOf(only);
    if (type.name === "bool") return true;
    if (type.name === "bytes") return "MQ==";
    if (type.name === "string") return textOf(own) ?? this.gap("1");
    return numberOf(own, /int/.test(type.name)) ?? this.gap(1);
  }

  private gap(value: Json): Json {
    this.gaps += 1;
    return value;
  }
}

/** Reports whether a field must be set, or is checked even if the field is not set. */
function isNeeded(field: Field): boolean {
  return isRequired(field) || (field.label !== "optional" && Object.keys(rulesOf(field)).length > 0);
}

function isRequired({ options }: Field): boolean {
  return options.some(({ name }) => name === "(google.api.field_behavior)");
}

function rulesOf({ options }: Field): Rules {
  return asRules(options.find(({ name }) => name === "(buf.validate.field)")?.value);
}

function inner(rules: Rules, name: string): Rules {
  return asRules(rules[name]);
}

function asRules(value: OptionValue | undefined): Rules {
  return typeof value === "object" && !Array.isArray(value) && !(value instanceof Token)
    ? (value as Rules)
    : {};
}

function jsonOf(value: OptionValue): Json {
  return value instanceof Token ? Number(value.name) : (value as Json);
}

function textOf({ pattern, ...rules }: Rules): string | undefined {
  const format = Object.keys(FORMATS).find((name) => rules[name] === true);
  const least = Number(rules.len ?? rules.min_len ?? 1);
  const longest = typeof pattern === "string" ? MAX_MATCHED : MAX_LENGTH;
  const most = Math.min(Number(rules.len ?? rules.max_len ?? longest), longest);
  if (least > most) return undefined;
  const literals = typeof pattern === "string" ? pattern.replaceAll(/[\^$()\\]/g, "").split("|") : [];
  const texts = [...TEXTS, ...literals.filter((text) => text !== "")].flatMap((text) => {
    const repeated = text.repeat(Math.ceil(least / text.length));
    return [repeated, repeated.slice(0, least)];
  });
  const allowed = typeof pattern === "string" ? new RegExp(pattern, "u") : /^/;
  return (format === undefined ? texts : [FORMATS[format] ?? ""]).find(
    (text) => text.length >= least && text.length <= most && allowed.test(text),
  );
}

function numberOf({ gt, gte, lt, lte }: Rules, isInteger: boolean): number | undefined {
  const limit = (value: OptionValue | undefined, otherwise: number) =>
    value === undefined ? otherwise : Number(jsonOf(value));
  const [above, least] = [limit(gt, -Infinity), limit(gte, -Infinity)];
  const [below, most] = [limit(lt, Infinity), limit(lte, Infinity)];
  return [1, least, most, above + 1, below - 1, (Math.max(above, least) + Math.min(below, most)) / 2].find(
    (value) =>
      (isInteger ? Number.isSafeInteger(value) : Number.isFinite(value)) &&
      value > above &&
      value >= least &&
      value < below &&
      value <= most,
  );
}
