import {
  create,
  type DescEnumValue,
  type DescField,
  type DescFile,
  type DescMessage,
  type DescMethod,
  type DescOneof,
  type DescService,
  fromJson,
  getOption,
  type Message,
  setExtension,
} from "@bufbuild/protobuf";
import { nestedTypes, reflect } from "@bufbuild/protobuf/reflect";
import { noteOrigins } from "../diagnostics/origin.ts";
import type { Problems } from "../diagnostics/problem.ts";
import { didYouMean } from "../diagnostics/suggest.ts";
import { select } from "./selector.ts";
import type { ConfigRule, ElementKind } from "./service-config.ts";

/** An element that rules apply to. */
type Element = DescService | DescMethod | DescMessage | DescField | DescOneof | DescEnumValue;

type Elements = Readonly<Record<ElementKind, ReadonlyMap<string, Element>>>;

/**
 * Writes rules into the options of descriptors, as if the .proto files contained them. A later rule wins.
 * After this step the origin of an option matters only for the positions of problems, so the origins are
 * recorded.
 *
 * @param files all files of a run, including imported files; their options are changed
 */
export function applyRules(
  rules: readonly ConfigRule[],
  files: Iterable<DescFile>,
  problems: Problems,
): void {
  if (rules.length === 0) return;
  const elements = elementsOf(files);
  for (const rule of rules) {
    for (const pattern of rule.patterns) {
      const byName = elements[rule.kind];
      const selected = select(pattern, byName.keys());
      if (selected.length === 0) {
        problems.addAt(rule.position, "config-selector", missing(rule, pattern, byName));
      }
      for (const element of new Set(selected.map((name) => byName.get(name)))) {
        if (element !== undefined) applyRule(rule, element);
      }
    }
  }
}

function applyRule(rule: ConfigRule, element: Element): void {
  const { extension, json, places, replaces } = rule;
  const option = fromJson(extension.message, json);
  const holder: { options?: Message | undefined } = element.proto;
  const value = replaces ? option : merged(getOption(element, extension) as Message, option, rule);
  holder.options ??= create(extension.extendee);
  setExtension(holder.options, extension, value);
  const own = extension.message.fields.filter((field) => Object.hasOwn(json, field.jsonName));
  const replaced = replaces ? [extension.number] : own.map((field) => `${extension.number}.${field.number}`);
  noteOrigins(element, replaced.map(String), places);
}

/**
 * Merges two options. Each named rule replaces the rule of the annotation as a whole; null removes the rule.
 */
function merged(annotation: Message, option: Message, { extension, json }: ConfigRule): Message {
  const target = reflect(extension.message, annotation);
  const source = reflect(extension.message, option);
  for (const field of extension.message.fields) {
    if (!Object.hasOwn(json, field.jsonName)) continue;
    target.clear(field);
    if (source.isSet(field)) target.set(field, source.get(field));
  }
  return target.message;
}

/** Returns all elements by full name; the name of an enum value includes the name of its enum. */
function elementsOf(files: Iterable<DescFile>): Elements {
  const types = [...files].flatMap((file) => [...nestedTypes(file)]);
  const messages = types.filter((type) => type.kind === "message");
  const services = types.filter((type) => type.kind === "service");
  const named = <T extends Element>(parent: { readonly typeName: string }, members: readonly T[]) =>
    members.map((member) => [`${parent.typeName}.${member.name}`, member] as const);
  return {
    service: new Map(services.map((desc) => [desc.typeName, desc])),
    method: new Map(services.flatMap((desc) => named(desc, desc.methods))),
    message: new Map(messages.map((desc) => [desc.typeName, desc])),
    field: new Map(messages.flatMap((desc) => named(desc, desc.fields))),
    oneof: new Map(messages.flatMap((desc) => named(desc, desc.oneofs))),
    "enum value": new Map(
      types.filter((type) => type.kind === "enum").flatMap((desc) => named(desc, desc.values)),
    ),
  };
}

function missing({ kind }: ConfigRule, pattern: string, byName: ReadonlyMap<string, Element>): string {
  const isWild = pattern.endsWith("*");
  const names = [...byName.keys()].filter((name) => !/^(google|buf\.validate|connectrest)\./.test(name));
  const hint = didYouMean(pattern, isWild ? [...new Set(names.flatMap(wildcards))] : names);
  return `\`${pattern}\` matches no ${kind} in the files of this run${hint}`;
}

/** Returns the wildcards that select a name: `pkg.S.Get` matches `pkg.S.*` and `pkg.*`. */
function wildcards(name: string): string[] {
  const steps = name.split(".").slice(0, -1);
  return steps.map((_, index) => `${steps.slice(0, index + 1).join(".")}.*`);
}
