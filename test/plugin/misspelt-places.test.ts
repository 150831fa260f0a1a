/**
 * Misspells each string in the rules of every description, one at a time: the generator reports the
 * misspelling, or a table in this file explains what reports it at run time.
 */
import { readdirSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import {
  type DescExtension,
  type DescField,
  type DescMessage,
  type Extendee,
  getExtension,
  hasExtension,
  type Message,
  ScalarType,
  setExtension,
} from "@bufbuild/protobuf";
import { type ReflectMessage, reflect } from "@bufbuild/protobuf/reflect";
import type { CodeGeneratorRequest, FileDescriptorProto } from "@bufbuild/protobuf/wkt";
import fc from "fast-check";
import { expect, test } from "vitest";
import { field, method, oneof, service } from "../../plugin/src/gen/connectrest/v1/annotations_pb.ts";
import { FieldRulesSchema, OneofRulesSchema } from "../../plugin/src/gen/connectrest/v1/field_rules_pb.ts";
import {
  MethodRulesSchema,
  ServiceRulesSchema,
} from "../../plugin/src/gen/connectrest/v1/method_rules_pb.ts";
import { compileRequest } from "../generator-kit/compile.ts";
import { runGenerator } from "../support/run-generator.ts";

/**
 * Strings that name fields, and keys whose misspelling nothing would report at run time. The generator must
 * report each misspelling.
 */
const REPORTED: ReadonlySet<string> = new Set([
  ...["Paginate.offset", "Paginate.page", "Cursor.field", "Overlap.key", "Overlap.size"],
  ...[
    "Poll.key",
    "Poll.ignore_case",
    "Upload.chunk",
    "Upload.content_type",
    "Upload.filename",
    "Download.chunk",
  ],
  ...["PollBatch.items", "PollBatch.resume_token", "PollBatch.late", "PollBatch.gap", "PollBatch.heartbeat"],
  ...["PollRequest.backlog", "PollRequest.after", "PollRequest.resume_token", "PollRequest.heartbeat"],
  ...["Records.event", "Records.id", "Records.data"],
  ...[
    "MethodRules.credential_fields",
    "OneofRules.fallback",
    "Mask.of",
    "When.type",
    "RateLimit.calendar_day",
  ],
]);

/** All other strings, each with the report at run time that reveals a misspelling. */
const TOLD: Readonly<Record<string, string>> = {
  "Paginate.items": "RESPONSE_SHAPE for a page without items",
  "Paginate.link": "the key of the upstream is `additional`; with link_always RESPONSE_SHAPE",
  "Paginate.link_query": "the key of the upstream is `additional`",
  "Paginate.total": "the key of the upstream is `additional`",
  "Paginate.known": "the key of the upstream is `additional`",
  "Paginate.link_header": "a name of the upstream",
  "Cursor.path": "the key of the upstream is `additional`; a last item without a value is `lost`",
  "Cursor.header": "a name of the upstream",
  "Poll.items": "RESPONSE_SHAPE for a page without items",
  "Poll.known": "the key of the upstream is `additional`",
  "Poll.interval_header": "a name of the upstream",
  "PollPages.link_header": "a name of the upstream",
  "PollPages.page": "a name of the upstream",
  "Operation.header": "a name of the upstream",
  "Operation.link": "RESPONSE_SHAPE for a state without a link",
  "Operation.path": "RESPONSE_SHAPE for a state without the value",
  "Operation.result": "RESPONSE_SHAPE for a result that is not there",
  "Operation.result_link": "RESPONSE_SHAPE for a result that is not there",
  "Upload.part": "a name of the upstream where it is in quotes",
  "Records.end": "UPSTREAM_TRUNCATED for a stream without an end",
  "When.key": "a condition that never holds: UPSTREAM_TRUNCATED, `lost`, or an end after one page",
  "When.values": "a value of the upstream",
  "Envelope.payload": "RESPONSE_SHAPE for a response without a payload",
  "Envelope.status": "a key of the upstream that no message declares",
  "Envelope.known": "the key of the upstream is `additional`",
  "Envelope.message": "a key of the upstream that no message declares",
  "Envelope.errors": "a key of the upstream that no message declares",
  "ErrorItems.path": "the common shapes find the text",
  "ErrorItems.title": "the common shapes find the text",
  "ErrorItems.code": "a key of the upstream that no message declares",
  "ErrorItems.detail": "a key of the upstream that no message declares",
  "ErrorItems.field": "a key of the upstream that no message declares",
  "ErrorBody.title_map": "the common shapes find the text",
  "ErrorBody.field_map": "the common shapes find the text",
  "ErrorBody.text": "the common shapes find the text",
  "ErrorMetadata.path": "a key of the upstream that no message declares",
  "ErrorMetadata.key": "a name that the description chooses",
  "RetryAfter.path": "a key of the upstream that no message declares",
  "RetryAfter.header": "a name of the upstream",
  "ErrorRule.reason": "a name that the description chooses",
  "ErrorRule.subcode_text": "a value of the upstream",
  "HeaderCondition.name": "a name of the upstream",
  "HeaderCondition.value": "a value of the upstream",
  "Header.name": "a name of the upstream",
  "Header.value": "a value of the upstream",
  "Parameter.name": "a name of the upstream",
  "Parameter.value": "a value of the upstream",
  "Parameter.json": "a value of the upstream",
  "ApiKey.query": "a name of the upstream",
  "ApiKey.header": "a name of the upstream",
  "ApiKey.prefix": "a value of the upstream",
  "RateLimit.bucket": "a name that the description chooses",
  "FieldRules.name": "the key of the upstream is `additional`",
  "FieldRules.aliases": "the key of the upstream is `additional`",
  "FieldRules.absent": "a value of the upstream; a word that does not fit is `lost`",
  "Source.header": "a name of the upstream",
  "Source.path": "the key of the upstream is `additional`",
  "Source.rel": "a name of the upstream",
  "Time.format": "a value that does not fit is `lost`",
  "Time.none": "a value that does not fit is `lost`",
  "OneofRules.discriminator": "a oneof without a member is `lost`",
  "OneofRules.payload": "the key of the upstream is `additional`",
  "ServiceRules.upstream": "an error of the configuration",
  "ServiceRules.base": "an error of the configuration",
  "ServiceRules.idempotency_key": "a name of the upstream",
  "MethodRules.upstream": "an error of the configuration",
  "MethodRules.base": "an error of the configuration",
  "MethodRules.idempotency_key": "a name of the upstream",
  "MethodRules.json_part": "a name of the upstream",
  "MethodRules.scopes": "a name of the upstream",
};
const OPTIONS: readonly DescMessage[] = [
  ServiceRulesSchema,
  MethodRulesSchema,
  FieldRulesSchema,
  OneofRulesSchema,
];

/** Returns the string fields of messages and of their nested messages. */
function textFields(messages: readonly DescMessage[], seen: ReadonlySet<DescMessage> = new Set()): string[] {
  return messages
    .filter((message) => !seen.has(message) && message.file.proto.package === "connectrest.v1")
    .flatMap((message) => [
      ...message.fields.filter(isText).map(nameOf),
      ...textFields(
        message.fields.flatMap((each) => each.message ?? []),
        new Set([...seen, message]),
      ),
    ]);
}

test("every string of the annotation language is checked, or listed with the reason why it is not", () => {
  expect([...new Set(textFields(OPTIONS))].sort()).toEqual([...REPORTED, ...Object.keys(TOLD)].sort());
});

function isText(each: DescField): boolean {
  return each.scalar === ScalarType.STRING;
}

function nameOf(each: DescField): string {
  return `${each.parent.name}.${each.name}`;
}

/** A string in the rules of a description, with its setter. */
interface Text {
  readonly file: string;
  readonly name: string;
  readonly value: string;
  /** Sets the string. */
  readonly set: (value: string) => void;
}

const ROOT = join(import.meta.dirname, "../..");

function readSources(folder: string): Array<[string, string]> {
  return readdirSync(join(ROOT, folder), { recursive: true, encoding: "utf8" })
    .filter((name) => name.endsWith(".proto") && !name.startsWith("connectrest/"))
    .map((name) => [name, readFileSync(join(ROOT, folder, name), "utf8")]);
}

/** Yields the strings in a rules message. */
function* textsIn(message: ReflectMessage): Generator<Omit<Text, "file">> {
  for (const each of message.sortedFields) {
    if (!message.isSet(each)) continue;
    if (each.fieldKind === "message") {
      yield* textsIn(message.get(each));
    } else if (each.fieldKind === "list") {
      const list = message.get(each);
      for (const [index, item] of [...list].entries()) {
        const set = (text: string) => list.set(index, text);
        if (each.listKind === "message") {
          yield* textsIn(item as ReflectMessage);
        } else if (isText(each)) {
          yield { name: nameOf(each), value: String(item), set };
        }
      }
    } else if (isText(each)) {
      const set = (text: string) => message.set(each, text);
      yield { name: nameOf(each), value: String(message.get(each)), set };
    }
  }
}

/** Yields the rules of every element in a file, with functions that read and write them. */
function* rulesOf(file: FileDescriptorProto): Generator<readonly [schema: DescMessage, options: Options]> {
  for (const each of file.service) {
    yield [ServiceRulesSchema, optionsOf(each.options, service)];
    for (const rpc of each.method) yield [MethodRulesSchema, optionsOf(rpc.options, method)];
  }
  const types = [...file.messageType];
  for (const type of types) {
    types.push(...type.nestedType);
    for (const each of type.field) yield [FieldRulesSchema, optionsOf(each.options, field)];
    for (const each of type.oneofDecl) yield [OneofRulesSchema, optionsOf(each.options, oneof)];
  }
}

/** The rules in the options of an element, and a function that writes them back; undefined without rules. */
type Options = { readonly rules: Message; readonly write: () => void } | undefined;

function optionsOf<D extends DescExtension>(options: Extendee<D> | undefined, extension: D): Options {
  if (options === undefined || !hasExtension(options, extension)) return undefined;
  const rules = getExtension(options, extension);
  return { rules: rules as Message, write: () => setExtension(options, extension, rules) };
}

function textsOf({ protoFile, fileToGenerate }: CodeGeneratorRequest): Text[] {
  return protoFile
    .filter(({ name }) => fileToGenerate.includes(name))
    .flatMap((file) =>
      [...rulesOf(file)].flatMap(([schema, options]) => {
        if (options === undefined) return [];
        const { rules, write } = options;
        return [...textsIn(reflect(schema, rules))].map((text) => {
          const set = (value: string) => {
            text.set(value);
            write();
          };
          return { ...text, set, file: file.name };
        });
      }),
    );
}

/**
 * Returns all files in the folder of the string's file, because methods that use a message may be in another
 * file.
 */
function besides({ file }: Text, { fileToGenerate }: CodeGeneratorRequest): string[] {
  return fileToGenerate.filter((name) => dirname(name) === dirname(file));
}

/** Doubles, drops or replaces one letter in the middle of the last name. */
const misspelling = fc.constantFrom(
  (text: string, at: number) => text.slice(0, at) + text.slice(at - 1),
  (text: string, at: number) => text.slice(0, at) + text.slice(at + 1),
  (text: string, at: number) => `${text.slice(0, at)}q${text.slice(at + 1)}`,
);

test.each(["proto", "test/protos"])(
  "property: in the descriptions of %s every misspelling is reported",
  (folder) => {
    const request = compileRequest(Object.fromEntries(readSources(folder)));
    const all = textsOf(request);
    expect(runGenerator(request).error).toBe("");
    expect(all.length).toBeGreaterThan(100);
    // Quoted names belong to the upstream; the description does not declare them.
    const places = all.filter(({ name, value }) => REPORTED.has(name) && !value.includes("'"));
    expect(places.length).toBeGreaterThan(10);
    const silent = fc
      .sample(fc.tuple(fc.constantFrom(...places), misspelling), 40)
      .filter(([text, misspell]) => {
        const changed = misspell(text.value, Math.max(1, text.value.length - 2));
        text.set(changed);
        const { error } = runGenerator(request, { fileToGenerate: besides(text, request) });
        text.set(text.value);
        return error === "";
      });
    expect(silent.map(([{ file, name, value }]) => `${file}: ${name} ${value}`)).toEqual([]);
    expect(runGenerator(request).error).toBe("");
  },
  240_000,
);
