import { create, type MessageInitShape, toJson } from "@bufbuild/protobuf";
import { Code, ConnectError } from "@connectrpc/connect";
import fc from "fast-check";
import { expect, test } from "vitest";
import {
  BlockSchema,
  CheckOddRequestSchema,
  FindOddRequestSchema,
  FindOddResponseSchema,
  Mood,
  OddSchema,
  PutPartRequestSchema,
  UnionSchema,
} from "../gen/rich/v1/odd_pb.ts";
import {
  OddService_checkOdd,
  OddService_echoOdd,
  OddService_findOdd,
  OddService_putPart,
  OddServiceRest,
} from "../gen/rich/v1/odd_rest.ts";
import { received, sent } from "../support/adapter.ts";
import { arbitraryMessage, arbitraryValue, type Overrides } from "../support/arbitrary-message.ts";

type Odd = MessageInitShape<typeof OddSchema>;
type UnionInit = Extract<MessageInitShape<typeof UnionSchema>, { readonly $typeName?: never }>;

/** Returns an Odd as the JSON body of a request. */
function written(init: Odd): unknown {
  return JSON.parse(sent(OddService_echoOdd, create(OddSchema, init)).body ?? "");
}

/** Reads an Odd from a response. Returns its ProtoJSON and the differences. */
function read(json: unknown) {
  const text = typeof json === "string" ? json : JSON.stringify(json);
  const { message, differences, isSecond } = received(OddService_echoOdd, text);
  return { odd: toJson(OddSchema, message), differences, isSecond };
}

function clean(odd: unknown) {
  return { odd, differences: [], isSecond: false };
}

test("a method's rules are combined with the service's rules", () => {
  expect(OddService_findOdd.rules).toMatchObject({
    upstream: "odd",
    base: "api",
    credentials: ["api_key", "oauth2"],
    apiKey: { header: "X-Key", prefix: "Key " },
    errors: [
      { status: 404, reason: "ODD_NOT_FOUND" },
      { status: 409, code: Code.AlreadyExists, reason: "ODD_EXISTS" },
    ],
    success: [304],
    timeoutMs: 1_500,
    scopes: ["read", "odd"],
    idempotent: true,
    responseEncoding: "json",
    rawErrorBody: false,
  });
  expect(OddService_echoOdd.rules).toMatchObject({ success: [], scopes: [], idempotent: false });
  expect(OddService_echoOdd.rules.timeoutMs).toBeUndefined();
  expect(OddService_checkOdd.rules.responseEncoding).toBe("empty");
});

test("a method without an HTTP rule is omitted, and the other methods have comments", () => {
  expect(Object.keys(OddServiceRest.methods)).toEqual(["echoOdd", "findOdd", "putPart", "checkOdd"]);
  expect(OddServiceRest.comments?.methods.checkOdd).toBe("Sends a HEAD request.");
});

test("a request: each field is sent in the part of the request that its rule names", () => {
  const message = create(FindOddRequestSchema, {
    owner: "a/b",
    kind: Mood.GOOD,
    part: { name: "p q", size: 9_007_199_254_740_993n },
    plain: ["x", "y"],
    brackets: ["x", "y"],
    indexed: [5n, -6n],
    comma: [Mood.GOOD, Mood.BAD, Mood.NUMBERED],
    spread: { "k 1": "v&1", k2: "" },
    ifNoneMatch: 'W/"x"',
    attempt: 0n,
    since: { seconds: 1n, nanos: 500_000_000 },
    blogFields: "?a,b",
    localOnly: "secret",
    full: false,
    data: Uint8Array.of(251, 255),
    boxed: Uint8Array.of(251, 255),
    before: { seconds: 1_700_000_000n },
  });
  expect(sent(OddService_findOdd, message)).toEqual({
    verb: "GET",
    path: "/odd/a%2Fb/good/p%20q:find",
    query: [
      "part.size=9007199254740993",
      "plain=x&plain=y",
      "brackets%5B%5D=x&brackets%5B%5D=y",
      "indexed%5B0%5D=5&indexed%5B1%5D=-6",
      "comma=good,MOOD_BAD,30",
      "k%201=v%261&k2=",
      "fields%5Bblogs%5D=%3Fa%2Cb",
      "full=false",
      "data=-_8",
      "boxed=-_8",
      "before=1700000000",
    ].join("&"),
    headers: [
      ["x-odd", "service"],
      ["x-version", "2"],
      ["if-none-match", 'W/"x"'],
      ["x-attempt", "0"],
      ["x-since", "1500"],
    ],
    body: undefined,
  });
});

test("a request: sends no parameters for unset fields", () => {
  const message = create(FindOddRequestSchema, { owner: "a", kind: Mood.BAD, part: { name: "p" } });
  expect(sent(OddService_findOdd, message)).toEqual({
    verb: "GET",
    path: "/odd/a/MOOD_BAD/p:find",
    query: "",
    headers: [
      ["x-odd", "service"],
      ["x-version", "2"],
    ],
    body: undefined,
  });
});

test.each<[MessageInitShape<typeof FindOddRequestSchema>, string]>([
  [{ owner: "", part: { name: "p" } }, "owner"],
  [{ owner: "..", part: { name: "p" } }, "owner"],
  [{ owner: "a" }, "part.name"],
  [{ owner: "a", part: {} }, "part.name"],
  [{ owner: "a", part: { name: "." } }, "part.name"],
  [{ owner: "a", part: { name: "p" }, ifNoneMatch: "a\r\nb: c" }, "If-None-Match"],
])("a request: an invalid value in %j gets INVALID_ARGUMENT with the field's name", (init, field) => {
  const message = create(FindOddRequestSchema, { kind: Mood.BAD, ...init });
  try {
    sent(OddService_findOdd, message);
    expect.unreachable();
  } catch (error) {
    expect(error).toBeInstanceOf(ConnectError);
    expect(ConnectError.from(error).code).toBe(Code.InvalidArgument);
    expect(ConnectError.from(error).rawMessage.toLowerCase()).toContain(field.toLowerCase());
  }
});

test("a request: one field is the body, and the other fields are query parameters in the method's spelling", () => {
  const message = create(PutPartRequestSchema, { owner: "o", part: { name: "p", size: 5n }, dryRun: true });
  expect(sent(OddService_putPart, message)).toMatchObject({
    verb: "PUT",
    path: "/odd/o/part",
    query: "dryRun=true",
    body: '{"name":"p","size":"5"}',
  });
  expect(sent(OddService_putPart, create(PutPartRequestSchema, { owner: "o" })).body).toBeUndefined();
});

test("a request: may have any HTTP method", () => {
  const message = create(CheckOddRequestSchema, { id: 2n ** 64n - 1n });
  expect(sent(OddService_checkOdd, message)).toMatchObject({
    verb: "HEAD",
    path: "/odd/18446744073709551615",
  });
});

const find = (text: string, status = 200, headers: Record<string, string> = {}) => {
  const { message, differences } = received(OddService_findOdd, { text, status, headers });
  return { json: toJson(FindOddResponseSchema, message), differences };
};

test("a response: reads one field from the body, and others from headers and the status", () => {
  const headers = {
    etag: '"e"',
    link: '<https://x.test/?p=2>; rel="next"',
    "ratelimit-remaining": "9007199254740993",
    "x-reset": "1700000000",
    "x-last": "true",
  };
  expect(find('[{"name":"a","size":1},{"name":"b","size":"2"}]', 200, headers)).toEqual({
    json: {
      items: [
        { name: "a", size: "1" },
        { name: "b", size: "2" },
      ],
      etag: '"e"',
      status: 200,
      next: "https://x.test/?p=2",
      remaining: "9007199254740993",
      reset: "2023-11-14T22:13:20Z",
      last: true,
    },
    differences: [],
  });
  expect(find("", 304)).toEqual({ json: { status: 304, unchanged: true }, differences: [] });
});

test("a response: tries sources in order, and reports an invalid value", () => {
  expect(find("[]", 200, { "x-remaining": "1", "ratelimit-remaining": "2" }).json).toMatchObject({
    remaining: "1",
  });
  expect(find("[]", 200, { "x-remaining": "many" }).differences).toEqual([
    {
      path: "X-Remaining or RateLimit-Remaining",
      expected: "int64",
      got: 'string "many"',
      class: "lost",
    },
  ]);
});

test("the whole response body can be a scalar, or empty", () => {
  expect(received(OddService_putPart, "7").message.count).toBe(7n);
  expect(received(OddService_putPart, "9007199254740993")).toMatchObject({
    isSecond: true,
    message: { count: 9007199254740993n },
  });
  const head = received(OddService_checkOdd, { text: "", status: 200, headers: { "content-length": "5" } });
  expect(head).toMatchObject({ differences: [], message: { status: 200, length: "5" } });
});

test("names: keys are read by declared name, lowerCamel name and alias, and an exact copy of a number takes precedence", () => {
  expect(read('{"id":700000000000000001,"id_string":"700000000000000001"}')).toEqual(
    clean({ id: "700000000000000001" }),
  );
  expect(read('{"id":5}')).toEqual(clean({ id: "5" }));
  expect(read('{"idString":"6"}')).toEqual(clean({ id: "6" }));
  expect(read('{"id_string":null,"id":7}')).toEqual(clean({ id: "7" }));
  expect(read({ "display-name": "x" })).toEqual(clean({ displayName: "x" }));
  expect(read({ textNumber: 5, bare_number: "6" })).toEqual(clean({ textNumber: "5", bareNumber: "6" }));
});

test("names: a second, exact parse is needed only if the exact copy is missing", () => {
  expect(read('{"id":700000000000000001}')).toEqual({
    odd: { id: "700000000000000001" },
    differences: [],
    isSecond: true,
  });
});

test("names: fields may have the names of inherited properties, in both directions", () => {
  const json = '{"constructor":"c","toString":"t","__proto__":"p"}';
  const odd = { constructor: "c", toString: "t", proto: "p" };
  expect(read(json)).toEqual(clean(odd));
  expect(read({})).toEqual(clean({}));
  expect(read('{"__proto__":{"id":5}}').odd).toEqual({});
  const message = received(OddService_echoOdd, json).message;
  expect(sent(OddService_echoOdd, message).body).toBe(json);
});

test("names: keys are written in the service's spelling, and integers in the field's notation", () => {
  expect(
    written({ id: 5n, displayName: "x", textNumber: 6n, bareNumber: 7n, urlData: Uint8Array.of(251, 255) }),
  ).toEqual({ id_string: 5, "display-name": "x", text_number: "6", bare_number: 7, url_data: "-_8" });
  const { body } = sent(OddService_echoOdd, create(OddSchema, { bareNumber: 9_007_199_254_740_993n }));
  expect(body).toBe('{"bare_number":9007199254740993}');
});

test("times, comma-separated lists, enums and bare arrays: are read in the notation of each field", () => {
  expect(
    read({
      seconds: 1,
      millis: 1_500,
      micros: 1_500_000,
      iso: "1970-01-01T00:00:01Z",
      formatted: "1970-01-01 00:00:01 GMT",
      ends: 0,
      history: [1_000, 2_000],
      tags: "a, b",
      numbers: "1,2",
      moods: "good,fine,30",
      mood: "awful",
      row: [1, "2"],
      rows: [[], [3]],
    }),
  ).toEqual(
    clean({
      seconds: "1970-01-01T00:00:01Z",
      millis: "1970-01-01T00:00:01.500Z",
      micros: "1970-01-01T00:00:01.500Z",
      iso: "1970-01-01T00:00:01Z",
      formatted: "1970-01-01T00:00:01Z",
      history: ["1970-01-01T00:00:01Z", "1970-01-01T00:00:02Z"],
      tags: ["a", "b"],
      numbers: [1, 2],
      moods: ["MOOD_GOOD", "MOOD_GOOD", "MOOD_NUMBERED"],
      mood: "MOOD_BAD",
      row: { cells: ["1", "2"] },
      rows: [{}, { cells: ["3"] }],
    }),
  );
});

test("times, comma-separated lists, enums and bare arrays: comma-separated lists may also be JSON arrays", () => {
  expect(read({ tags: ["a,b"], numbers: [1], moods: [30] })).toEqual(
    clean({ tags: ["a,b"], numbers: [1], moods: ["MOOD_NUMBERED"] }),
  );
});

test("times, comma-separated lists, enums and bare arrays: an empty bare array differs from a missing one", () => {
  expect(read({ row: [] })).toEqual(clean({ row: {} }));
  expect(read({ row: null })).toEqual(clean({}));
});

test("times, comma-separated lists, enums and bare arrays: are written in the notation of each field", () => {
  const at = { seconds: 1n, nanos: 500_000_000 };
  expect(
    written({
      seconds: at,
      millis: at,
      micros: at,
      iso: at,
      formatted: { seconds: 1n, nanos: 0 },
      history: [at],
      tags: ["a", "b"],
      numbers: [1, 2],
      moods: [Mood.GOOD, Mood.NUMBERED],
      mood: Mood.NUMBERED,
      row: { cells: [1n] },
      rows: [{}, { cells: [2n] }],
    }),
  ).toEqual({
    seconds: 1.5,
    millis: 1_500,
    micros: 1_500_000,
    iso: "1970-01-01T00:00:01.500Z",
    formatted: "1970-01-01 00:00:01 GMT",
    history: [1_500],
    tags: "a,b",
    numbers: "1,2",
    moods: "good,30",
    mood: 30,
    row: [1],
    rows: [[], [2]],
  });
});

test("oneof layout FLATTENED: the keys of a member are next to its kind", () => {
  const json = { block: { id: "1", type: "text", text: "Hi", mood: "good" } };
  const odd = { block: { id: "1", text: { text: "Hi", mood: "MOOD_GOOD" } } };
  expect(read(json)).toEqual(clean(odd));
  expect(written({ block: { id: "1", block: { case: "text", value: { text: "Hi", mood: 1 } } } })).toEqual(
    json,
  );
  expect(read({ block: { type: "picture", url: "u" } })).toEqual(clean({ block: { image: { url: "u" } } }));
  expect(written({ block: { block: { case: "image", value: { url: "u" } } } })).toEqual({
    block: { type: "image", url: "u" },
  });
});

test("oneof layout FLATTENED: a key unknown to the parent and the member is kept once, and an unknown kind is reported", () => {
  expect(
    read({
      blocks: [
        { type: "text", text: "Hi", more: 1 },
        { type: "new", a: [1] },
      ],
    }),
  ).toEqual({
    odd: {
      blocks: [{ text: { text: "Hi" }, unknownFields: { more: "1" } }, { unknownFields: { a: "[1]" } }],
    },
    differences: [{ path: "blocks[1].type", expected: "a known block", got: 'string "new"', class: "lost" }],
    isSecond: false,
  });
  expect(read({ block: { id: "1" } })).toEqual(clean({ block: { id: "1" } }));
});

test("oneof layout NESTED: the keys of a member are under its name", () => {
  const json = { envelope: { kind: "text", text: { text: "Hi" } } };
  expect(read(json)).toEqual(clean({ envelope: { text: { text: "Hi" } } }));
  expect(written({ envelope: { content: { case: "text", value: { text: "Hi" } } } })).toEqual(json);
  const note = { envelope: { kind: "note", note: "n" } };
  expect(read(note)).toEqual(clean({ envelope: { note: "n" } }));
  expect(written({ envelope: { content: { case: "note", value: "n" } } })).toEqual(note);
});

test("oneof layout with a payload key: the keys of all members are under the payload key, and unknown kinds are kept unchanged", () => {
  const said = { happening: { type: "SaidEvent", payload: { text: "Hi" } } };
  expect(read(said)).toEqual(clean({ happening: { kind: "SaidEvent", said: { text: "Hi" } } }));
  expect(written({ happening: { payload: { case: "said", value: { text: "Hi" } } } })).toEqual(said);
  const other = { happening: { type: "NewEvent", payload: { a: { b: [1, null] } } } };
  expect(read(other)).toEqual(clean({ happening: { kind: "NewEvent", other: { a: { b: [1, null] } } } }));
  expect(
    written({
      happening: { kind: "NewEvent", payload: { case: "other", value: { a: { b: [1, null] } } } },
    }),
  ).toEqual(other);
});

test("oneof layout FLATTENED: a member that collects unknown keys does not collect its parent's keys, and writes the collected keys back", () => {
  const json = { loose: { id: "1", type: "text", text: "Hi", more: { a: 1 } } };
  const odd = { loose: { id: "1", text: { text: "Hi", unknownFields: { more: '{"a":1}' } } } };
  expect(read(json)).toEqual(clean(odd));
  expect(
    written({
      loose: {
        id: "1",
        block: { case: "text", value: { text: "Hi", unknownFields: { more: '{"a":1}' } } },
      },
    }),
  ).toEqual(json);
});

test("oneof layout FLATTENED: a fallback keeps all keys of an unknown kind, without differences", () => {
  const json = { loose: { id: "1", type: "new", a: [1], b: null } };
  const { odd, differences } = read(json);
  expect(differences).toEqual([]);
  expect(odd).toMatchObject({ loose: { id: "1", other: { type: "new", a: [1], b: null } } });
  const message = received(OddService_echoOdd, JSON.stringify(json)).message;
  expect(JSON.parse(sent(OddService_echoOdd, message).body ?? "")).toEqual(json);
});

const short = fc.stringMatching(/^[a-z]{1,8}$/);
const whole = fc
  .bigInt(1n, 253_402_300_799n)
  .map((seconds) => ({ $typeName: "google.protobuf.Timestamp", seconds, nanos: 0 }));
const unknown = fc.dictionary(
  short.map((key) => `x_${key}`),
  arbitraryValue().map((json) => JSON.stringify(json)),
  { maxKeys: 3, noNullPrototype: true },
);
const member = fc.oneof(
  fc.record({ case: fc.constant("text" as const), value: fc.string() }),
  fc.record({
    case: fc.constant("number" as const),
    value: fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n }),
  }),
  fc.record({ case: fc.constant("block" as const), value: fc.record({ text: fc.string() }) }),
);
const members = fc.array(
  member.map((value) => ({ value })),
  { maxLength: 3 },
);
const union = fc
  .oneof(
    member,
    members.map((items) => ({ case: "unions" as const, value: { items } })),
  )
  .map((value) => create(UnionSchema, { value }));

const overrides: Overrides = {
  ...Object.fromEntries(
    ["seconds", "millis", "micros", "iso", "formatted", "ends"].map((name) => [`rich.v1.Odd.${name}`, whole]),
  ),
  "rich.v1.Odd.history": fc.array(whole, { maxLength: 3 }),
  "rich.v1.Odd.tags": fc.array(short, { maxLength: 3 }),
  "rich.v1.Odd.unknown_fields": unknown,
  "rich.v1.Block.unknown_fields": unknown,
  "rich.v1.LooseText.unknown_fields": unknown,
  // Reading sets the kind of a happening to the kind of its member. A fallback collects all keys, including
  // the parent's keys.
  "rich.v1.Happening.kind": fc.constant(""),
  "rich.v1.Loose.other": fc.constant({ type: "new", id: "1" }),
  "rich.v1.Loose.id": fc.constant("1"),
  // A union without a member is not written.
  "rich.v1.Odd.union": union,
  "rich.v1.Odd.unions": fc.array(union, { maxLength: 3 }),
};

test("a member of an unwrapped oneof is written as the JSON type that selects it", () => {
  const unions: UnionInit[] = [
    { value: { case: "text", value: "1" } },
    { value: { case: "number", value: 2n ** 62n } },
  ];
  const message = create(OddSchema, {
    unions,
    union: { value: { case: "unions", value: { items: unions } } },
  });
  const { body } = sent(OddService_echoOdd, message);
  expect(body).toBe('{"union":["1",4611686018427387904],"unions":["1",4611686018427387904]}');
  expect(received(OddService_echoOdd, body ?? "")).toMatchObject({ message, differences: [] });
});

test("an unwrapped oneof without a member is rejected", () => {
  const message = create(OddSchema, { unions: [{}] });
  expect(() => sent(OddService_echoOdd, message)).toThrow("has no member set");
});

test("property: a round trip leaves a message unchanged", () => {
  fc.assert(
    fc.property(arbitraryMessage(OddSchema, overrides, 3), (message) => {
      const { body } = sent(OddService_echoOdd, message);
      const { message: once, differences } = received(OddService_echoOdd, body ?? "");
      expect(differences).toEqual([]);
      const { body: again } = sent(OddService_echoOdd, once);
      expect(JSON.parse(again ?? "")).toEqual(JSON.parse(body ?? ""));
    }),
    { numRuns: 500 },
  );
});

test("property: any JSON is read without an exception", () => {
  const keys = fc.constantFrom(
    ...["id", "id_string", "seconds", "history", "tags", "numbers", "moods", "mood", "row", "rows", "block"],
    ...["marks", "union", "unions"],
    ...["blocks", "type", "kind", "text", "envelope", "happening", "payload", "loose", "shapeless", "object"],
    ...["any", "list", "child", "constructor", "toString", "__proto__", "valueOf", "new"],
  );
  const { json } = fc.letrec<{ json: unknown }>((tie) => ({
    json: fc.oneof(
      { depthSize: "medium" },
      fc.constantFrom(null, true, false, "", "text", "image", "SaidEvent", "1,2", 0, 1.5, 2 ** 60, [], {}),
      fc.array(tie("json"), { maxLength: 3 }),
      fc.dictionary(keys, tie("json"), { maxKeys: 6 }),
    ),
  }));
  fc.assert(
    fc.property(json, (value) => {
      const isObject = typeof value === "object" && value !== null && !Array.isArray(value);
      if (!isObject && value !== null && !(Array.isArray(value) && value.length === 0)) {
        expect(() => received(OddService_echoOdd, JSON.stringify(value))).toThrow("expected an object");
        return;
      }
      const { message } = received(OddService_echoOdd, JSON.stringify(value));
      toJson(OddSchema, message);
      JSON.parse(sent(OddService_echoOdd, create(OddSchema, { block: create(BlockSchema) })).body ?? "");
    }),
    { numRuns: 2_000 },
  );
});
