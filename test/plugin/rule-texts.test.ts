/** Checks that no string of a rule puts invalid characters into a header, a path or a log line. */
import {
  clone,
  create,
  createFileRegistry,
  type DescExtension,
  type DescField,
  type DescFile,
  type DescMessage,
  type FileRegistry,
  fromJson,
  type JsonObject,
  type JsonValue,
  type Message,
  ScalarType,
  setExtension,
} from "@bufbuild/protobuf";
import type { GenExtension } from "@bufbuild/protobuf/codegenv2";
import {
  type DescriptorProto,
  EnumValueOptionsSchema,
  FieldOptionsSchema,
  type FileDescriptorProto,
  FileDescriptorProtoSchema,
  FileDescriptorSetSchema,
  MethodOptionsSchema,
  OneofOptionsSchema,
  type ServiceOptions,
  ServiceOptionsSchema,
} from "@bufbuild/protobuf/wkt";
import fc from "fast-check";
import { beforeAll, expect, test } from "vitest";
import { TEXT_KINDS } from "../../plugin/src/check/rule-texts.ts";
import {
  enum_value as enumValueRules,
  field as fieldRules,
  method as methodRules,
  oneof as oneofRules,
  service as serviceRules,
} from "../../plugin/src/gen/connectrest/v1/annotations_pb.ts";
import { http } from "../../plugin/src/gen/google/api/annotations_pb.ts";
import { generate } from "../../plugin/src/generate.ts";
import { parseParameter } from "../../plugin/src/protocol/parameter.ts";
import { compileRequest, HEAD } from "../generator-kit/compile.ts";

const SOURCE = `${HEAD}
service S {
  rpc Get(Req) returns (Res) { option (google.api.http) = {post: "/a" body: "*"}; }
  rpc List(Req) returns (stream Res) { option (google.api.http) = {get: "/a"}; }
  rpc Send(stream Req) returns (Res) { option (google.api.http) = {post: "/a" body: "*"}; }
}
message Req { string id = 1; }
message Res { string id = 1; Kind kind = 2; oneof choice { string text = 3; } google.protobuf.FieldMask mask = 4; }
enum Kind { KIND_UNSPECIFIED = 0; }
`;

let compiled: FileDescriptorProto;
let imported: FileRegistry;

beforeAll(() => {
  const { protoFile } = compileRequest({ "texts.proto": SOURCE });
  compiled = protoFile.find(({ name }) => name === "texts.proto") as FileDescriptorProto;
  imported = createFileRegistry(create(FileDescriptorSetSchema, { file: protoFile }));
});

/** The place of a string in a rule: the extension, and the path of fields to the string. */
interface Place {
  readonly extension: DescExtension;
  readonly path: readonly DescField[];
}

function placesIn(extension: DescExtension, message: DescMessage, path: readonly DescField[] = []): Place[] {
  return message.fields.flatMap((field) => {
    const below = [...path, field];
    if (field.message !== undefined) {
      const isOwn = /^(?:connectrest|google\.api)\./.test(field.message.typeName);
      return isOwn && !path.includes(field) ? placesIn(extension, field.message, below) : [];
    }
    return "scalar" in field && field.scalar === ScalarType.STRING ? [{ extension, path: below }] : [];
  });
}

const EXTENSIONS: readonly DescExtension[] = [
  serviceRules,
  methodRules,
  fieldRules,
  oneofRules,
  enumValueRules,
  http,
];
const PLACES = EXTENSIONS.flatMap((extension) => placesIn(extension, extension.message as DescMessage));

const keyOf = ({ path }: Place) => {
  const field = path.at(-1) as DescField;
  return `${field.parent.typeName.replace(/^connectrest\.v1\./, "")}.${field.name}`;
};
const nameOf = (place: Place) =>
  `${place.extension.name}.${place.path.map(({ name }) => name).join(".")}`.replace(/^method\.http/, "http");

/** Fields that must also be set, because the string is not checked without them. */
const BESIDE: Readonly<Record<string, JsonObject>> = { CustomHttpPattern: { kind: "HEAD", path: "/a" } };

/** Returns a message with only one string set, at a path of fields. */
function holding(type: DescMessage, path: readonly DescField[], text: string): Message {
  const json = path.reduceRight<JsonValue>(
    (value, { jsonName, fieldKind, parent }) => ({
      ...BESIDE[parent.name],
      [jsonName]: fieldKind === "list" ? [value] : value,
    }),
    text,
  );
  return fromJson(type, json);
}

/** Returns the problems of a file in which only one string of one rule is set. */
function problemsWith({ extension, path }: Place, text: string): string[] {
  const file = clone(FileDescriptorProtoSchema, compiled);
  const rules = holding(extension.message as DescMessage, path, text);
  const set = (type: DescMessage, holders: ReadonlyArray<{ options?: Message | undefined }>) => {
    for (const holder of holders) {
      holder.options ??= create(type);
      // The static types do not show which options the extension extends.
      setExtension(
        holder.options as ServiceOptions,
        extension as GenExtension<ServiceOptions, Message>,
        rules,
      );
    }
  };
  const [req, res] = file.messageType as [DescriptorProto, DescriptorProto];
  switch (extension.extendee.typeName) {
    case ServiceOptionsSchema.typeName:
      set(ServiceOptionsSchema, file.service);
      break;
    case MethodOptionsSchema.typeName:
      set(MethodOptionsSchema, file.service[0]?.method ?? []);
      break;
    case FieldOptionsSchema.typeName:
      set(FieldOptionsSchema, [...req.field, ...res.field]);
      break;
    case OneofOptionsSchema.typeName:
      set(OneofOptionsSchema, res.oneofDecl);
      break;
    default:
      set(EnumValueOptionsSchema, file.enumType[0]?.value ?? []);
  }
  const own = createFileRegistry(file, (name) => imported.getFile(name)).getFile(file.name) as DescFile;
  const { error } = generate([own], parseParameter(""));
  return error === undefined ? [] : error.split("\n");
}

/** Returns the codes of problems, without the parts that contain the string. */
const codesOf = (lines: readonly string[]) =>
  lines.map((line) => /^texts\.proto:\d+:\d+: ([a-z-]+): /.exec(line)?.[1] ?? line);

/** Only service configs use `selector`. */
const READ = PLACES.filter((place) => keyOf(place) !== "google.api.HttpRule.selector");

test("every string field of the annotation language has a kind", () => {
  const own = PLACES.map(keyOf).filter((key) => !key.startsWith("google."));
  expect(Object.keys(TEXT_KINDS).sort()).toEqual([...new Set(own)].sort());
});

const CHECKED = READ.filter((place) => TEXT_KINDS[keyOf(place)] !== "free");

test.each(CHECKED.map((place) => [nameOf(place), place] as const))(
  "%s: a line break or a NUL is reported at any position",
  (_name, place) => {
    const isHttp = place.extension === http;
    const good = new Set(codesOf(problemsWith(place, "a")));
    for (const bad of ["a\r\nb", "a\n", "\ra", "a\0b", "a\u007fb"]) {
      const codes = codesOf(problemsWith(place, bad));
      const isReported = codes.includes("rule-text") || codes.some((code) => !good.has(code));
      expect(isReported || (isHttp && codes.length > 0), `${JSON.stringify(bad)}: ${codes.join(", ")}`).toBe(
        true,
      );
    }
  },
);

const HEADER_VALUES = CHECKED.filter((place) => TEXT_KINDS[keyOf(place)] === "header value");

test.each(HEADER_VALUES.map((place) => [nameOf(place), place] as const))(
  "%s: property: exactly the strings that are invalid as header values are reported",
  (_name, place) => {
    fc.assert(
      fc.property(fc.string({ unit: "binary", minLength: 1, maxLength: 4 }), (text) => {
        fc.pre(text.isWellFormed());
        const isValue = /^[\t\x20-\x7e]*$/.test(text);
        expect(codesOf(problemsWith(place, text)).includes("rule-text")).toBe(!isValue);
      }),
      { numRuns: 20 },
    );
  },
);

const DOTS = [
  "..",
  ".",
  "%2e%2e",
  "%2E.",
  ".%2e",
  "%2e",
  "a%2f..",
  "..%5ca",
  "%2e%2e%2fa",
  "%00",
  "a%0d%0a",
  "",
];
const WITHIN = DOTS.flatMap((segment) => [`/a/${segment}/b/{id}`, `/${segment}/{id}`, `/{id}/${segment}/c`]);
const PATHS = CHECKED.filter(
  (place) =>
    TEXT_KINDS[keyOf(place)] === "path" || /\.(?:get|put|post|delete|patch|path)$/.test(keyOf(place)),
).filter((place) => place.extension === http || TEXT_KINDS[keyOf(place)] === "path");

test.each(PATHS.map((place) => [nameOf(place), place] as const))(
  "%s: a constant segment cannot change the path",
  (_name, place) => {
    const expected = TEXT_KINDS[keyOf(place)] === "path" ? "rule-text" : "path-syntax";
    for (const path of WITHIN) expect(codesOf(problemsWith(place, path)), path).toContain(expected);
    for (const path of ["/a/...", "/a/{id}", "/a/.b/{id}/", "/a/%2eb/{id}", "/a%2fb/{id}"]) {
      expect(codesOf(problemsWith(place, path)), path).not.toContain(expected);
    }
  },
);

const ODD = fc.string({
  unit: fc.constantFrom(
    "a",
    " ",
    "`",
    "\n",
    "\r",
    "\u2028",
    "\u0085",
    "\u202e",
    "\u200b",
    "\x1b",
    "é",
    "\u{1f600}",
  ),
  maxLength: 12,
});
const HOSTILE = fc.oneof(
  ODD,
  fc
    .tuple(ODD, fc.constantFrom(300, 70_000), ODD)
    .map(([head, count, tail]) => head + "n".repeat(count) + tail),
  fc.tuple(ODD, fc.constantFrom(300, 70_000)).map(([unit, count]) => `x${unit}`.repeat(count)),
);
/**
 * The longest diagnostic: a position, a code, and 2,000 characters, some escaped in up to eight characters.
 */
const LONGEST_DIAGNOSTIC = 200 + 2_000 * 10;

test("property: every problem is one line of bounded length with its position, for any strings", () => {
  fc.assert(
    fc.property(fc.constantFrom(...READ), HOSTILE, (place, text) => {
      for (const line of problemsWith(place, text)) {
        expect(line).toMatch(/^texts\.proto:\d+:\d+: [a-z-]+: [^\p{Cc}\p{Cf}\p{Zl}\p{Zp}]+$/u);
        expect(line.length).toBeLessThan(LONGEST_DIAGNOSTIC);
      }
    }),
    { numRuns: 150, interruptAfterTimeLimit: 20_000 },
  );
}, 60_000);
