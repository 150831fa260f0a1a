import type { DescExtension, DescMessage } from "@bufbuild/protobuf";
import { isScalar } from "yaml";
import type { Position } from "../diagnostics/origin.ts";
import type { Problems } from "../diagnostics/problem.ts";
import { enum_value, field, message, method, oneof, service } from "../gen/connectrest/v1/annotations_pb.ts";
import { http } from "../gen/google/api/annotations_pb.ts";
import { type ConfigDocument, parseConfigDocument } from "./document.ts";
import { ConfigReader, type Json } from "./reader.ts";
import { parseSelector } from "./selector.ts";

/** The kind of element that a service config rule applies to. */
export type ElementKind = "service" | "method" | "message" | "field" | "oneof" | "enum value";

/** A rule of a service config: options for the elements that its patterns select. */
export interface ConfigRule {
  readonly kind: ElementKind;
  readonly patterns: readonly string[];
  /** The position of the selector. */
  readonly position: Position;
  readonly extension: DescExtension & { readonly message: DescMessage };
  /** Whether the rule replaces the whole annotation, or only the fields that it names. */
  readonly replaces: boolean;
  /** The option as ProtoJSON; null clears a field. */
  readonly json: { readonly [key: string]: Json };
  /** The position of each part, by the path of the part in the options, as field numbers. */
  readonly places: ReadonlyMap<string, Position>;
}

type Lists = Readonly<Record<string, { kind: ElementKind; extension: ConfigRule["extension"] }>>;

/** The lists in the `connectrest` section. */
const LISTS: Lists = {
  services: { kind: "service", extension: service as ConfigRule["extension"] },
  methods: { kind: "method", extension: method as ConfigRule["extension"] },
  messages: { kind: "message", extension: message as ConfigRule["extension"] },
  fields: { kind: "field", extension: field as ConfigRule["extension"] },
  oneofs: { kind: "oneof", extension: oneof as ConfigRule["extension"] },
  enum_values: { kind: "enum value", extension: enum_value as ConfigRule["extension"] },
};

/**
 * The fields of google.api.Service (google/api/service.proto) that are unrelated to HTTP. They are ignored.
 */
const OTHER_KEYS: readonly string[] = (
  "type name title producer_project_id id apis types enums documentation backend quota authentication context usage " +
  "endpoints control logs metrics monitored_resources billing logging monitoring system_parameters source_info " +
  "publishing config_version"
).split(" ");

/**
 * Reads a service config: google.api.Service with additional rules. Invalid parts are reported and omitted.
 */
export function parseServiceConfig(path: string, text: string, problems: Problems): readonly ConfigRule[] {
  const document = parseConfigDocument(path, text, problems);
  if (document === undefined || isEmpty(document)) return [];
  const reader = new ConfigReader(document, problems);
  const root = reader.entries(document.root, "the service config");
  if (root === undefined) return [];
  reader.checkKeys(
    root,
    ["http", "connectrest", ...OTHER_KEYS, ...OTHER_KEYS.map(camel)],
    "the service config",
  );
  return [...httpRules(reader, root.get("http")?.value), ...ownRules(reader, root.get("connectrest")?.value)];
}

function isEmpty({ root }: ConfigDocument): boolean {
  return root === null || (isScalar(root) && root.value === null);
}

/** Reads google.api.Http, in which each rule contains its selector. */
function httpRules(reader: ConfigReader, node: unknown): ConfigRule[] {
  const entries = reader.isNothing(node) ? undefined : reader.entries(node, "http");
  if (entries === undefined) return [];
  const [rules, decode] = ["rules", "fully_decode_reserved_expansion"];
  reader.checkKeys(entries, [rules, decode, camel(decode)], "http");
  const list = entries.get(rules)?.value;
  if (reader.isNothing(list)) return [];
  return reader.items(list, "http.rules").flatMap((item, index) => {
    const subject = `http.rules[${index}]`;
    const selector = selectorOf(reader, item, subject);
    if (selector === undefined) return [];
    const extension = http as ConfigRule["extension"];
    const { json, places } = optionOf(reader, item, subject, extension);
    const { selector: _, ...rest } = json;
    return [{ ...selector, kind: "method", extension, replaces: true, json: rest, places } as const];
  });
}

function ownRules(reader: ConfigReader, node: unknown): ConfigRule[] {
  const entries = reader.isNothing(node) ? undefined : reader.entries(node, "connectrest");
  if (entries === undefined) return [];
  const names = Object.keys(LISTS);
  reader.checkKeys(entries, [...names, ...names.map(camel)], "connectrest");
  return Object.entries(LISTS).flatMap(([name, { kind, extension }]) => {
    const list = (entries.get(name) ?? entries.get(camel(name)))?.value;
    if (reader.isNothing(list)) return [];
    return reader.items(list, `connectrest.${name}`).flatMap((item, index) => {
      const subject = `connectrest.${name}[${index}]`;
      const selector = selectorOf(reader, item, subject);
      if (selector === undefined) return [];
      const entry = reader.entries(item, subject);
      if (entry === undefined) return [];
      reader.checkKeys(entry, ["selector", "rules"], subject);
      const rules = entry.get("rules");
      if (rules === undefined) {
        reader.report(item, "config-missing", `${subject} has no \`rules\``);
        return [];
      }
      const option = optionOf(reader, rules.value, `${subject}.rules`, extension);
      return [{ ...selector, kind, extension, replaces: false, ...option }];
    });
  });
}

function selectorOf(
  reader: ConfigReader,
  item: unknown,
  subject: string,
): Pick<ConfigRule, "patterns" | "position"> | undefined {
  const entries = reader.entries(item, subject);
  if (entries === undefined) return undefined;
  const node = entries.get("selector")?.value;
  if (reader.isNothing(node)) {
    reader.report(item, "config-missing", `${subject} has no \`selector\`, so it applies to nothing`);
    return undefined;
  }
  const text = reader.string(node, `${subject}.selector`);
  if (text === undefined) return undefined;
  const selector = parseSelector(text);
  if ("patterns" in selector) return { ...selector, position: reader.document.positionOf(node) };
  reader.report(node, "config-selector", `${subject}.selector: ${selector.fault}`);
  return undefined;
}

function optionOf(
  reader: ConfigReader,
  node: unknown,
  subject: string,
  { message, number }: ConfigRule["extension"],
): Pick<ConfigRule, "json" | "places"> {
  const places = new Map([[String(number), reader.document.positionOf(node)]]);
  const json = reader.message(node, message, subject, String(number), places);
  return { json: json as ConfigRule["json"], places };
}

/** Converts `enum_values` to `enumValues`. */
function camel(name: string): string {
  return name.replace(/_([a-z])/g, (_, letter: string) => letter.toUpperCase());
}
