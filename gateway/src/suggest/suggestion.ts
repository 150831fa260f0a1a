/** Turns the findings of recordings into patches of `.proto` files. */

import path from "node:path";
import { type DescEnum, type DescFile, type DescMessage, getOption } from "@bufbuild/protobuf";
import { protoCamelCase } from "@bufbuild/protobuf/reflect";
import { field as fieldRules } from "connect-rest-runtime/gen/connectrest/v1/annotations_pb.js";
import type { Finding, Verification } from "../verify/finding.ts";
import type { Messages } from "../verify/object-fields.ts";
import { counted, sentence } from "../verify/report-text.ts";
import { NO_SUCH_KEY } from "../verify/verify.ts";
import { enumValue, indented, isOptional, isReadBy, MessageDraft, quote } from "./draft.ts";
import { existingEnum, existingMessage } from "./existing.ts";
import { infer } from "./infer.ts";
import { fieldName, prefixOf, unique, valueName } from "./names.ts";
import { type Insertion, patched } from "./patch.ts";
import type { ProtoFiles } from "./proto-files.ts";
import { type Block, blockAt, nextNumber, type ProtoSource, readSource } from "./proto-source.ts";
import type { EnumSamples, KeySamples, MessageSamples, Samples } from "./samples.ts";
import type { Shape } from "./shape.ts";

/** A changed file. */
export interface Patch {
  readonly path: string;
  readonly before: string;
  readonly after: string;
  readonly diff: string;
}

/** A declaration that cannot be changed, or that needs a decision. */
export interface Open {
  readonly declaration: string;
  readonly reason: string;
}

/** The patches for recordings, and what remains. */
export interface Suggestion {
  readonly patches: readonly Patch[];
  readonly fields: number;
  readonly values: number;
  readonly open: readonly Open[];
}

interface Options {
  readonly files: ProtoFiles;
  /** The folder to which the paths of diffs are relative. */
  readonly folder: string;
  /** The number of responses from which on a key becomes a field. */
  readonly minSamples: number;
}

/** A file with the changes to it. */
interface Draft {
  readonly path: string;
  /** The name by which other files import the file. */
  readonly name: string;
  readonly source: ProtoSource;
  readonly taken: Set<string>;
  readonly imports: Set<string>;
  readonly package: string;
  readonly syntax: string;
  readonly insertions: Insertion[];
}

/**
 * Returns patches that declare what recordings contain.
 *
 * @param messages the messages of the description
 */
export function suggest(
  samples: Samples,
  verification: Verification,
  messages: Messages,
  options: Options,
): Suggestion {
  // values that become a message with unknown keys also tell the types of these keys
  new Planner(samples, verification, options, true).plan(messages);
  return new Planner(samples, verification, options, false).plan(messages);
}

/** The files of packages that descriptions only import. */
const OTHERS = /^(?:google|connectrest|buf)\//;

class Planner {
  private readonly samples: Samples;
  /** Whether the plan only adds to the samples. */
  private readonly isFirst: boolean;
  private readonly verification: Verification;
  private readonly options: Options;
  private readonly drafts = new Map<string, Draft | { readonly problem: string }>();
  private readonly open: Open[] = [];
  private fields = 0;
  private values = 0;

  constructor(samples: Samples, verification: Verification, options: Options, isFirst: boolean) {
    this.samples = samples;
    this.isFirst = isFirst;
    this.verification = verification;
    this.options = options;
  }

  plan(messages: Messages): Suggestion {
    const { samples } = this;
    for (const [name, found] of samples.messages) {
      const desc = messages.get(name);
      if (found.keys.size > 0 && desc !== undefined) this.message(desc, found);
    }
    for (const found of samples.enums.values()) this.enumeration(found);
    return this.result((name) => samples.messages.has(name) || samples.enums.has(name));
  }

  /** Plans fields for the unknown keys of a message. */
  private message(desc: DescMessage, found: MessageSamples): void {
    const declaration = desc.typeName;
    const { draft, block, problem } = this.blockOf(desc, desc.fields);
    if (problem !== undefined) {
      this.open.push({ declaration, reason: problem });
      return;
    }
    if (found.isCut) {
      this.open.push({ declaration, reason: "it has more than 100 unknown keys, and is likely a map" });
    }
    const paths = new Map([...found.keys.values()].map((each) => [each, this.problemOf(each)]));
    for (const [{ path }, reason] of paths) {
      if (reason !== undefined) this.open.push({ declaration: `${declaration}: ${pathText(path)}`, reason });
    }
    const samples = [...paths].filter(([, reason]) => reason === undefined).map(([each]) => each);
    if (samples.length > 0) this.addFields(draft, block, desc, samples, found.objects);
  }

  private existing(shape: Shape, candidates: readonly DescMessage[]): DescMessage | undefined {
    const found = existingMessage(shape, candidates, (message) => this.samples.newKeys(message));
    if (found !== undefined && this.isFirst) this.samples.merge(found.typeName, shape);
    return found;
  }

  private addFields(
    draft: Draft,
    block: Block,
    desc: DescMessage,
    samples: readonly KeySamples[],
    objects: number,
  ): void {
    const files = [desc.file, ...desc.file.dependencies].filter(({ name }) => !OTHERS.test(name));
    const messages = files.flatMap((file) => file.messages);
    const enums = files.flatMap((file) => file.enums);
    const names = new Set(
      [...block.members, ...block.blocks].map(({ name }) => protoCamelCase(name)).concat(block.reservedNames),
    );
    // the field for all other keys stays the last one
    const unknown = desc.fields.find((field) => getOption(field, fieldRules).unknown);
    const collector = block.members.find(
      ({ name, end }) => name === unknown?.name && end === block.ends.at(-1),
    );
    const declared = desc.fields.map((field) => getOption(field, fieldRules).name);
    const keys = samples.flatMap(({ path }) => (path.length === 1 ? [String(path[0])] : []));
    const given: number[] = [];
    const fields: string[] = [];
    const types: string[] = [];
    for (const { path, shape, count, operations, hasPlaceholders } of samples) {
      const context = {
        hasPlaceholders,
        existing: (each: Shape) => this.existing(each, messages),
        existingEnum: (texts: readonly string[], key: string) => existingEnum(texts, key, enums),
      };
      const message = new MessageDraft(draft, context);
      const key = String(path.findLast((step) => typeof step === "string"));
      const inferred = infer(shape, { ...context, key });
      const name = unique(fieldName(key), names, protoCamelCase);
      const number = nextNumber(block, given, collector?.number);
      given.push(number);
      const total = [...operations].reduce(
        (sum, each) => sum + (this.verification.operations.get(each) ?? 0),
        0,
      );
      const share = `Seen in ${count} of ${counted(total, "response")}.`;
      const comment = [share, inferred.note ?? ""].join(" ").trim();
      const isNamed = isReadBy(name, key, [...keys, ...declared]);
      const nested = path.length > 1 ? { from: { path: quote(pathText(path)) } } : undefined;
      const rules = nested ?? (isNamed ? {} : { name: quote(key) });
      message.field(
        { name, number, key, comment },
        inferred,
        isOptional(inferred, shape, shape.count >= objects),
        rules,
      );
      fields.push(...message.fields);
      types.push(...message.types.flatMap((lines) => ["", ...lines]));
      this.fields++;
    }
    const indent = indentOf(draft.source.text, block);
    const offset = block.ends.at(collector === undefined ? -1 : -2) ?? block.open;
    draft.insertions.push({ offset, lines: indented(fields, indent) });
    const { text } = draft.source;
    const start = text.lastIndexOf("\n", block.close) + 1;
    const end = text.slice(start, block.close).trim() === "" ? start : block.close;
    if (types.length > 0) draft.insertions.push({ offset: end, lines: indented(types, indent) });
  }

  private problemOf({ path, shape, count }: KeySamples): string | undefined {
    if (typeof path[0] === "number") return "it is an item of a list that a message reads";
    if (
      path.some(
        (step) => typeof step === "string" && (step.length >= 100 || /[\p{C}']/u.test(step) || step === ""),
      )
    ) {
      return "no rule can contain this key";
    }
    if (shape.count === 0) return "its values are not below the object of the message";
    const { minSamples } = this.options;
    return count < minSamples ? `it is in ${count} of at least ${minSamples} responses` : undefined;
  }

  /** Plans values for the unknown spellings of an enum. */
  private enumeration({ desc, spellings, isCut, hasPlaceholders }: EnumSamples): void {
    const declaration = desc.typeName;
    const at = this.blockOf(desc, desc.values);
    const reason = hasPlaceholders
      ? "the recorded spellings are placeholders: record with `values: true`"
      : isCut
        ? "it has more than 50 unknown values, and is likely a string"
        : spellings.size === 0
          ? "it has values that are neither strings nor numbers"
          : at.problem;
    if (reason !== undefined || at.problem !== undefined) {
      this.open.push({ declaration, reason: reason ?? "" });
      return;
    }
    const { draft, block } = at;
    const prefix = desc.sharedPrefix?.replace(/_$/, "").toUpperCase() ?? prefixOf(desc.name);
    const names = new Set(desc.values.map(({ name }) => name));
    const given: number[] = [];
    const lines: string[] = [];
    for (const [spelling, count] of spellings) {
      const text = String(spelling);
      if (names.has(valueName(prefix, text))) {
        const name = valueName(prefix, text);
        this.open.push({
          declaration,
          reason: `${quote(text)} may be another spelling of ${name}: see \`aliases\``,
        });
        continue;
      }
      const number = nextNumber(block, given);
      given.push(number);
      lines.push(`// Seen in ${counted(count, "response")}.`, enumValue(prefix, text, number, draft.taken));
      this.values++;
    }
    if (lines.length === 0) return;
    draft.imports.add("connectrest/v1/annotations.proto");
    draft.insertions.push({
      offset: block.ends.at(-1) ?? block.open,
      lines: indented(lines, indentOf(draft.source.text, block)),
    });
  }

  /** Finds the source of a declaration, or the reason why it cannot be changed. */
  private blockOf(
    desc: DescMessage | DescEnum,
    members: readonly { readonly name: string }[],
  ):
    | { readonly draft: Draft; readonly block: Block; readonly problem?: undefined }
    | { readonly draft?: undefined; readonly block?: undefined; readonly problem: string } {
    const draft = this.draftOf(desc.file);
    if ("problem" in draft) return { problem: draft.problem };
    const block = blockAt(draft.source, pathOf(desc));
    const names = new Set(members.map(({ name }) => name));
    const isSame = block?.members.length === names.size && block.members.every(({ name }) => names.has(name));
    if (block === undefined || !isSame) {
      const { name } = desc.file;
      return { problem: `the generated code is older or newer than ${name}.proto; run buf generate` };
    }
    return { draft, block };
  }

  private draftOf(file: DescFile): Draft | { readonly problem: string } {
    const known = this.drafts.get(file.name);
    if (known !== undefined) return known;
    const found = this.options.files.find(`${file.name}.proto`);
    const made = found.problem === undefined ? newDraft(found.path, found.text, file) : found;
    this.drafts.set(file.name, made);
    return made;
  }

  /** @param isHandled reports whether a message or an enum was already planned, or is listed */
  private result(isHandled: (name: string) => boolean): Suggestion {
    const drafts = [...this.drafts.values()].filter((each): each is Draft => !("problem" in each));
    const patches = drafts
      .filter(({ insertions }) => insertions.length > 0)
      .map((each) => this.patchOf(each));
    const findings = this.verification.findings.flatMap((finding) => {
      const { expected, declaration } = finding;
      const isKey = expected === NO_SUCH_KEY && isHandled(declaration);
      const isValue = /^one of /.test(expected) && isHandled(expected.slice(7));
      return isKey || isValue ? [] : [{ declaration, reason: reasonOf(finding) }];
    });
    return { patches, fields: this.fields, values: this.values, open: [...this.open, ...findings] };
  }

  private patchOf({ path: file, name, source, imports, insertions }: Draft): Patch {
    imports.delete(name);
    const all = [...importsOf(source, imports), ...insertions];
    const relative = path.relative(this.options.folder, file).replaceAll("\\", "/");
    const { text, diff } = patched(source.text, all, relative);
    return { path: file, before: source.text, after: text, diff };
  }
}

/** Returns the reason why a finding has no patch. */
function reasonOf(finding: Finding): string {
  const { in: place, path: at, class: as, got } = finding;
  const what = `${at}: ${sentence(finding)}`;
  if (place === "request") return `${what}: names and values in requests need a decision`;
  if (/^\(status /.test(at)) return `${what}: an error needs a code and a reason, in the rule \`errors\``;
  if (as === "additional") return `${what}: it belongs to no message`;
  const rule = as === "converted" && got !== "" ? "; `coerce` accepts both types" : "";
  return `${what}: callers depend on the type of a field${rule}`;
}

function newDraft(file: string, text: string, desc: DescFile): Draft {
  const source = readSource(text);
  const names = [desc, ...desc.dependencies].flatMap(({ messages, enums }) => [...messages, ...enums]);
  const taken = new Set([...source.words, ...names.map(({ name }) => name)]);
  return {
    path: file,
    name: `${desc.name}.proto`,
    source,
    taken,
    imports: new Set(),
    package: desc.proto.package,
    syntax: source.syntax,
    insertions: [],
  };
}

function importsOf({ imports, endOfHead }: ProtoSource, wanted: ReadonlySet<string>): readonly Insertion[] {
  const missing = [...wanted].filter((each) => !imports.some(({ path: known }) => known === each)).toSorted();
  const lines = missing.map((each) => `import ${quote(each)};`);
  const [first] = imports;
  if (first === undefined) return lines.length === 0 ? [] : [{ offset: endOfHead, lines: ["", ...lines] }];
  return missing.map((each, index) => {
    const before = imports.findLast(({ path: known }) => known < each);
    return { offset: before?.end ?? first.start, lines: lines.slice(index, index + 1) };
  });
}

function pathOf(desc: DescMessage | DescEnum): readonly string[] {
  return [...(desc.parent === undefined ? [] : pathOf(desc.parent)), desc.name];
}

function indentOf(text: string, { open, members: [first] }: Block): string {
  const indentAt = (offset: number) =>
    /^[^\S\n]*/.exec(text.slice(text.lastIndexOf("\n", offset - 1) + 1))?.[0] ?? "";
  const isBelow = first !== undefined && text.slice(open, first.start).includes("\n");
  return isBelow ? indentAt(first.start) : `${indentAt(open)}  `;
}

/** Returns a path as a rule contains it. Keys that look like something else are in quotes. */
function pathText(path: ReadonlyArray<string | number>): string {
  return path
    .map((step) =>
      typeof step === "number" || (/^[\w$@-]+$/.test(step) && !/^\d+$/.test(step)) ? step : `'${step}'`,
    )
    .join(".");
}
