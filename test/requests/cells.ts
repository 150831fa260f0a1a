/** Services with one method and one field, for every kind of field in every place of a request. */
import { HEAD } from "../generator-kit/compile.ts";
import type { Reading } from "./read-request.ts";

/** A place in a request, with the rules that put the field `x` there. */
export interface Place {
  readonly http: string;
  /** Rules of the method. */
  readonly method?: string;
  /** Rules of the field. */
  readonly field?: string;
  /** Other fields of the request. */
  readonly others?: string;
  readonly reading?: Reading;
  /** Whether the upstream cannot distinguish an empty message from an unset message. */
  readonly isFlat?: boolean;
}

const BRACKETS = "http: {nesting: BRACKETS}";
const WHOLE = 'post: "/p" body: "*"';

export const PLACES: Readonly<Record<string, Place>> = {
  path: { http: 'get: "/p/{x}"' },
  "path of segments": { http: 'get: "/p/{x=**}"' },
  ...partsOfSegment("{x}...{y}"),
  ...partsOfSegment("{y}.{x}"),
  ...partsOfSegment("a-{x},{z}.json"),
  ...partsOfSegment("{x}-{z}--{y}"),
  ...partsOfSegment("{y}%2F{x}%2C"),
  "path or query": { http: 'get: "/p/{x}" additional_bindings {get: "/q"}', isFlat: true },
  query: { http: 'get: "/p"', isFlat: true },
  "query, brackets": { http: 'get: "/p"', method: BRACKETS, reading: { isNested: true }, isFlat: true },
  form: { http: WHOLE, method: "request_encoding: FORM", isFlat: true },
  "form, brackets": {
    http: WHOLE,
    method: `request_encoding: FORM, ${BRACKETS}`,
    reading: { isNested: true },
    isFlat: true,
  },
  multipart: { http: WHOLE, method: "request_encoding: MULTIPART", isFlat: true },
  "multipart, brackets": {
    http: WHOLE,
    method: `request_encoding: MULTIPART, ${BRACKETS}`,
    reading: { isNested: true },
    isFlat: true,
  },
  part: { http: WHOLE, method: "request_encoding: MULTIPART", field: "in: PART" },
  "JSON part": { http: WHOLE, method: 'request_encoding: MULTIPART, json_part: "json"' },
  header: { http: 'get: "/p"', field: 'in: HEADER, name: "x-x"', isFlat: true },
  "header, percent-encoded": {
    http: 'get: "/p"',
    field: 'in: HEADER, name: "x-x", encoding: PERCENT',
    reading: { hasPercents: true },
    isFlat: true,
  },
  "header, RFC 8187": {
    http: 'get: "/p"',
    field: 'in: HEADER, name: "x-x", encoding: RFC_8187',
    reading: { hasPercents: true },
    isFlat: true,
  },
  "cookie, percent-encoded": {
    http: 'get: "/p"',
    field: "in: COOKIE, encoding: PERCENT",
    reading: { hasPercents: true },
    isFlat: true,
  },
  cookie: { http: 'get: "/p"', field: "in: COOKIE", isFlat: true },
  "OAuth 1.0a parameter": {
    http: 'get: "/p"',
    method: "credentials: OAUTH1",
    field: "in: OAUTH1_PARAM",
    isFlat: true,
  },
  JSON: { http: WHOLE },
  "JSON, bare integers": { http: WHOLE, method: "json: {integers: NUMBERS}" },
  "JSON of one field": { http: 'post: "/p" body: "x"' },
  "JSON lines": { http: 'post: "/p" body: "x"', method: "request_encoding: LINES" },
};

/** Returns the place for a value next to other values in one segment of a path. */
function partsOfSegment(segment: string): Record<string, Place> {
  return {
    [`path, ${segment}`]: {
      http: `get: "/p/${segment}"`,
      others: "string y = 21; int32 z = 22;",
      reading: { segment },
    },
  };
}

/** Field types for which some place of a request has a special notation, with rules for them. */
const TYPES: ReadonlyArray<readonly [type: string, rule?: string]> = [
  ["string"],
  ["bytes"],
  ["bytes", "bytes: RAW"],
  ["bytes", "bytes: BASE64URL"],
  ["int32"],
  ["int64"],
  ["uint64", "number: true"],
  ["bool"],
  ["double"],
  ["Tone"],
  ["google.protobuf.NullValue"],
  ["google.protobuf.Timestamp"],
  ["google.protobuf.Timestamp", "time: {unit: SECONDS}"],
  ["google.protobuf.Timestamp", 'time: {unit: SECONDS, none: "0"}'],
  ["google.protobuf.Timestamp", "time: {unit: NANOS}"],
  ["google.protobuf.Timestamp", "time: {unit: HTTP_DATE}"],
  ["google.protobuf.Timestamp", "time: {unit: RFC_2822}"],
  ["google.protobuf.Timestamp", 'time: {unit: FORMAT, format: "YYYY-MM-DD HH:mm:ss"}'],
  ["google.protobuf.Timestamp", 'time: {unit: FORMAT, format: "MM/YYYY", none: "01/1970"}'],
  ["google.protobuf.Duration"],
  ["google.protobuf.Duration", "time: {unit: MILLIS}"],
  ["google.protobuf.Duration", "time: {unit: ISO_8601}"],
  ["google.protobuf.FieldMask"],
  ["google.protobuf.StringValue"],
  ["google.protobuf.BytesValue", "bytes: RAW"],
  ["google.protobuf.Int64Value"],
  ["google.protobuf.BoolValue"],
  ["google.protobuf.DoubleValue"],
  ["google.protobuf.Struct"],
  ["google.protobuf.Value"],
  ["google.protobuf.ListValue"],
  ["google.protobuf.Any"],
  ["google.protobuf.Empty"],
  ["Leaf"],
  ["Tree"],
  ["Row"],
  ["Row", "unwrap: true"],
  ["Commas", "unwrap: true"],
  ["NullableText", "unwrap: true"],
  ["NullableNumber", "unwrap: true"],
  ["NullableLeaf", "unwrap: true"],
  ["NullableRow", "unwrap: true"],
  ["NullableUnion", "unwrap: true"],
  ["Part"],
  ["Chosen"],
  ["Union"],
  ["TextOrUnion"],
  ["TextOrLeaf"],
  ["Either"],
  ["Amount"],
  ["Loose"],
  ["Tuple"],
  ["HoldsTuple"],
  ["string", "json_text: true"],
  ["google.protobuf.Struct", "json_text: true"],
  ["google.protobuf.Value", "json_text: true"],
  ["Leaf", "json_text: true"],
  ["Tuple", "json_text: true"],
  ["Tree", "json_text: true"],
  ["Row", "unwrap: true, json_text: true"],
  ["NullableText", "unwrap: true, json_text: true"],
  ["Chosen", "json_text: true"],
  ["Union", "json_text: true"],
];

const MESSAGES = `
enum Tone {
  TONE_UNSPECIFIED = 0;
  LOW = 1 [(connectrest.v1.enum_value).wire = "low"];
  SEVEN = 2 [(connectrest.v1.enum_value).wire = "3"];
  PADDED = 4 [(connectrest.v1.enum_value).wire = "03"];
  MINUS_ZERO = 5 [(connectrest.v1.enum_value).wire = "-0"];
}
message Leaf { string s = 1; optional int32 n = 2; }
message Row { repeated string cells = 1; }
message Commas { repeated string cells = 1 [(connectrest.v1.field).style = COMMA]; }
message NullableText { optional string value = 1; }
message NullableNumber { optional int64 value = 1; }
message NullableLeaf { Leaf value = 1; }
message NullableRow { Row value = 1 [(connectrest.v1.field).unwrap = true]; }
message NullableUnion { TextOrLeaf value = 1; }
message Tree {
  optional string s = 1;
  repeated Leaf items = 2;
  repeated Leaf stacked = 3 [(connectrest.v1.field).style = BRACKETS];
  map<string, Leaf> leaves = 4;
  Leaf leaf = 5;
  google.protobuf.Struct json = 6;
  repeated google.protobuf.Value values = 7;
  map<string, google.protobuf.Value> named = 8;
  repeated Row rows = 9 [(connectrest.v1.field).unwrap = true];
  bytes raw = 10 [(connectrest.v1.field).bytes = RAW];
  oneof member { Leaf one = 11; string other = 12; google.protobuf.Empty none = 13; }
  repeated Tree trees = 14;
  repeated NullableText nullables = 15 [(connectrest.v1.field).unwrap = true];
}
message Union {
  oneof value {
    option (connectrest.v1.oneof) = {layout: UNWRAPPED, fallback: "other"};
    string text = 1 [(connectrest.v1.field).when = {type: "string"}];
    int64 count = 2 [(connectrest.v1.field).when = {type: "number"}];
    Leaf leaf = 3 [(connectrest.v1.field).when = {type: "object"}];
    google.protobuf.Value other = 4;
  }
}
message TextOrUnion {
  oneof value {
    option (connectrest.v1.oneof).layout = UNWRAPPED;
    double ratio = 1 [(connectrest.v1.field).when = {type: "number"}];
    Unions unions = 2 [(connectrest.v1.field) = {unwrap: true, when: {type: "array"}}];
    Entries entries = 3 [(connectrest.v1.field) = {unwrap: true, when: {type: "object"}}];
  }
}
message TextOrLeaf {
  oneof value {
    option (connectrest.v1.oneof).layout = UNWRAPPED;
    string text = 1 [(connectrest.v1.field).when = {type: "string"}];
    Leaf leaf = 2 [(connectrest.v1.field).when = {type: "object"}];
    Row row = 3 [(connectrest.v1.field) = {unwrap: true, when: {type: "array"}}];
  }
}
message Either {
  oneof value {
    option (connectrest.v1.oneof).layout = UNWRAPPED;
    int64 count = 1 [(connectrest.v1.field).when = {type: "number"}];
    string text = 2 [(connectrest.v1.field).when = {type: "string"}];
    bool flag = 3 [(connectrest.v1.field).when = {type: "boolean"}];
  }
}
message Amount {
  oneof value {
    option (connectrest.v1.oneof) = {layout: UNWRAPPED, fallback: "tone"};
    double ratio = 1 [(connectrest.v1.field).when = {type: "number"}];
    Tone tone = 2;
  }
}
message Unions { repeated Union items = 1; }
message Entries { map<string, TextOrUnion> entries = 1; }
message Part {
  bytes content = 1 [(connectrest.v1.field).piece = CONTENT];
  string name = 2 [(connectrest.v1.field).piece = PART_NAME];
  string type = 3 [(connectrest.v1.field).piece = CONTENT_TYPE];
  string filename = 4 [(connectrest.v1.field).piece = FILENAME];
}
message Chosen {
  oneof kind {
    option (connectrest.v1.oneof) = {discriminator: "type", layout: FLATTENED, fallback: "rest"};
    Leaf leaf = 1;
    Row row = 2 [(connectrest.v1.field).when = {values: ["list", "row"]}];
    Rest rest = 3;
  }
  oneof beside {
    option (connectrest.v1.oneof) = {discriminator: "which", layout: BESIDE, payload: "what"};
    Leaf left = 4;
    string right = 5;
  }
  oneof nested {
    option (connectrest.v1.oneof) = {discriminator: "on", layout: NESTED};
    Leaf a = 6;
    bool b = 7;
  }
}
message Rest { string type = 1; string s = 2; }
message Tuple {
  option (connectrest.v1.message).tuple = true;
  optional string s = 1;
  int64 n = 2;
  Leaf leaf = 3;
  Row row = 4 [(connectrest.v1.field).unwrap = true];
  repeated string tags = 5;
  Tone tone = 6;
  TextOrLeaf either = 7;
  google.protobuf.StringValue text = 8;
  Tuple tuple = 9;
  repeated Leaf further = 10 [(connectrest.v1.field).unknown = true];
}
message HoldsTuple { Tuple tuple = 1; repeated Tuple tuples = 2; map<string, Tuple> named = 3; }
message Loose { string s = 1; map<string, string> others = 2 [(connectrest.v1.field).unknown = true]; }
`;

/** Field labels, with the rules that they add. */
const LABELS: ReadonlyArray<readonly [label: string, rule?: string]> = [
  ["T"],
  ["optional T"],
  ["oneof"],
  ["repeated T"],
  ["repeated T", "style: BRACKETS"],
  ["repeated T", "style: INDEXED"],
  ["repeated T", "style: COMMA"],
  ["map<string, T>"],
  ["map<string, T>", "style: SPREAD"],
];

/** Requests with several fields, for the places that take whole messages. */
const WHOLES: Readonly<Record<string, string>> = {
  "a oneof with a discriminator": `oneof kind {
    option (connectrest.v1.oneof) = {discriminator: "type", fallback: "rest"};
    Leaf x = 1; Row row = 2; Rest rest = 3;
  }`,
  "a oneof in which members keep unknown keys": `oneof kind {
    option (connectrest.v1.oneof) = {discriminator: "type", layout: FLATTENED};
    Loose x = 1; Leaf leaf = 2;
  }`,
  "fields of every kind": `string x = 1; optional string y = 2; bool s = 3; Leaf leaf = 4; Row row = 5;
    repeated string tags = 6 [(connectrest.v1.field).style = COMMA]; oneof one { Leaf a = 7; Leaf b = 8; }`,
};

/** One kind of field in one place. */
export interface Cell {
  /** The name of its service. */
  readonly service: string;
  readonly title: string;
  readonly file: string;
  readonly place: Place;
  readonly reading: Reading;
  readonly source: string;
}

/** Returns all cells of a place, including cells that the generator rejects. */
export function cellsOf(name: string, place: Place): readonly Cell[] {
  const kinds = TYPES.flatMap(([type, ofType]) =>
    LABELS.map(([label, ofLabel]) => ({ type, label, rules: [place.field, ofType, ofLabel] })),
  );
  const isWhole = place.field === undefined && place.others === undefined && !place.http.includes('"x"');
  const wholes = isWhole ? Object.entries(WHOLES) : [];
  const count = TYPES.length * LABELS.length + Object.keys(WHOLES).length;
  const offset = Object.values(PLACES).indexOf(place) * count;
  const file = `${name.replace(/\W+/g, "_").toLowerCase()}.proto`;
  const several = wholes.map(([title, fields], index): Cell => {
    const at = offset + kinds.length + index;
    const reading = { ...place.reading, hasCommas: fields.includes("COMMA") };
    return {
      service: `S${at}`,
      title: `${name}: ${title}`,
      file,
      place,
      reading,
      source: serviceSource(at, fields, place),
    };
  });
  const single = kinds.map(({ type, label, rules }, index): Cell => {
    const given = rules.filter((rule) => rule !== undefined).join(", ");
    const at = offset + index;
    const service = `S${at}`;
    const reading = {
      ...place.reading,
      hasCommas:
        !given.includes("json_text") &&
        (given.includes("COMMA") || (/^x-|HEADER|COOKIE/.test(given) && label === "repeated T")),
      isRaw: given.includes("RAW"),
      isLoose: ["Either", "Amount"].includes(type) && !/JSON|json_text/.test(`${name} ${given}`),
    };
    const source = sourceOf(at, label, type, given, place);
    return { service, file, title: `${name}: ${label.replace("T", type)} ${given}`, place, reading, source };
  });
  return [...single, ...several];
}

function sourceOf(index: number, label: string, type: string, rules: string, place: Place): string {
  const options = rules === "" ? "" : ` [(connectrest.v1.field) = {${rules}}]`;
  const field =
    label === "oneof"
      ? `oneof one { ${type} x = 1${options}; bool other = 2; }`
      : `${label.replace("T", type)} x = 1${options};`;
  return serviceSource(index, field, place);
}

function serviceSource(index: number, fields: string, place: Place): string {
  const method = place.method === undefined ? "" : `option (connectrest.v1.method) = {${place.method}};`;
  return (
    `service S${index} { rpc Send(M${index}) returns (google.protobuf.Empty) { ` +
    `option (google.api.http) = {${place.http}}; ${method} } } message M${index} { ${fields.replace(/\s+/g, " ")} ${place.others ?? ""} }\n`
  );
}

/** Returns the sources of cells: one file per place, and one line per cell. */
export function filesOf(cells: readonly Cell[]): Record<string, string> {
  const types = `${HEAD.replace('"connectrest', '"types.proto";\nimport "connectrest')}`;
  const byFile = Map.groupBy(cells, ({ file }) => file);
  const files = [...byFile].map(([file, all]) => [
    file,
    `${types}${all.map(({ source }) => source).join("")}`,
  ]);
  return { "types.proto": `${HEAD}${MESSAGES}`, ...Object.fromEntries(files) };
}

/** Returns the service of the cell that a problem is about, by its name or by its line. */
export function serviceOf(problem: string, cells: readonly Cell[]): string | undefined {
  const named = /test\.v1\.[MS](\d+)/.exec(problem)?.[1];
  if (named !== undefined) return `S${named}`;
  const [file, line] = problem.split(":");
  const here = cells.filter((cell) => cell.file === file);
  return here[Number(line) - HEAD.split("\n").length - 1]?.service;
}
