/**
 * Checks every pair of values for the same name in the same place of a request, and every pair of fields that
 * read the same key of a response: the generator reports the pair, or the pair is intended.
 */
import { beforeAll, expect, test } from "vitest";
import { errorsOf } from "./errors-of.ts";

/** A rule or field that writes the name `authorization`, `x-n` or `n`. */
interface Writer {
  readonly rule?: (name: string) => string;
  readonly service?: (name: string) => string;
  readonly field?: (name: string, number: number) => string;
}

const ANNOTATION = "(connectrest.v1.field)";

const HEADERS: Readonly<Record<string, Writer>> = {
  "a field": {
    field: (name, at) => `string f${at} = ${at} [${ANNOTATION} = {in: HEADER, name: "${name}"}];`,
  },
  "a constant": { rule: (name) => `headers: {name: "${name}", value: "v"}` },
  "a constant of the service": { service: (name) => `headers: {name: "${name}", value: "v"}` },
  "the API key": { rule: (name) => `credentials: API_KEY api_key: {header: "${name}"}` },
  "the idempotency key": { rule: (name) => `idempotency_key: "${name}"` },
};

/** Writers whose header name is fixed. */
const OWN_NAMES: Readonly<Record<string, Writer & { readonly name: string }>> = {
  BASIC: { name: "Authorization", rule: () => "credentials: BASIC" },
  OAUTH2: { name: "Authorization", rule: () => "credentials: OAUTH2" },
  OAUTH1: { name: "Authorization", rule: () => "credentials: OAUTH1" },
  OAUTH1_CLIENT: { name: "Authorization", rule: () => "credentials: OAUTH1_CLIENT" },
  "a kind of credentials before NONE": { name: "Authorization", rule: () => "credentials: [OAUTH2, NONE]" },
  "a field in COOKIE": {
    name: "Cookie",
    field: (_name, at) => `string f${at} = ${at} [${ANNOTATION} = {in: COOKIE, name: "c"}];`,
  },
};

const QUERY: Readonly<Record<string, Writer>> = {
  "a query field": { field: (name, at) => `string f${at} = ${at} [${ANNOTATION}.name = "${name}"];` },
  "a constant parameter": { rule: (name) => `parameters: {name: "${name}", value: "v"}` },
  "the API key in the query": { rule: (name) => `credentials: API_KEY api_key: {query: "${name}"}` },
};

const COOKIES: Readonly<Record<string, Writer>> = {
  "a cookie": {
    field: (name, at) => `string f${at} = ${at} [${ANNOTATION} = {in: COOKIE, name: "${name}"}];`,
  },
};

const OAUTH1: Readonly<Record<string, Writer>> = {
  "a parameter": {
    field: (name, at) => `string f${at} = ${at} [${ANNOTATION} = {in: OAUTH1_PARAM, name: "${name}"}];`,
  },
};

/** Pairs in which one value overrides the other. */
const REPLACED: Readonly<Record<string, string>> = {
  "a field + the idempotency key": "a field of the message replaces the key of the call",
  "a constant + a constant of the service": "a constant of the method replaces that of its service",
};

interface Pair {
  readonly label: string;
  readonly source: string;
}

function pairsOf(name: string, writers: Readonly<Record<string, Writer>>): Pair[] {
  const entries = Object.entries(writers);
  return entries.flatMap(([one, first], index) =>
    entries.slice(index).flatMap(([other, second]) =>
      // A rule cannot be repeated.
      one === other && first.field === undefined
        ? []
        : [{ label: `${one} + ${other}`, source: sourceOf(name, first, second) }],
    ),
  );
}

function sourceOf(name: string, first: Writer, second: Writer): string {
  // Header names are case-insensitive.
  const [small, given] = [/^[A-Z]/.test(name) ? name.toLowerCase() : name, name];
  const both = (part: "rule" | "service") => [first[part]?.(given), second[part]?.(small)].join(" ");
  return `service S {
  option (connectrest.v1.service) = {${both("service")}};
  rpc Get(Req) returns (Res) {
    option (google.api.http) = {post: "/a"};
    option (connectrest.v1.method) = {${both("rule")}};
  }
}
message Req { ${first.field?.(given, 1) ?? ""} ${second.field?.(small, 2) ?? ""} }
message Res {}`;
}

/** Requests whose body has its own Content-Type, with another field. */
const BODIES_WITH_TYPE: Readonly<Record<string, (field: string) => string>> = {
  "a google.api.HttpBody": (field) => `service S {
  rpc Send(Req) returns (Res) { option (google.api.http) = {post: "/a" body: "file"}; }
}
message Req { google.api.HttpBody file = 1; ${field} }
message Res {}`,
  "an upload": (field) => `service S {
  rpc Send(stream Req) returns (Res) {
    option (google.api.http) = {post: "/a" body: "*"};
    option (connectrest.v1.method).upload = {chunk: "chunk", content_type: "media"};
  }
}
message Req { bytes chunk = 1; string media = 2; ${field} }
message Res {}`,
};

const PAIRS: readonly Pair[] = [
  ...pairsOf("X-N", HEADERS),
  ...Object.entries(OWN_NAMES).flatMap(([own, { name, ...writer }]) =>
    Object.entries(HEADERS)
      // A method has only one list of credentials.
      .filter(([other]) => other !== "the API key" || name === "Cookie")
      .map(([other, second]) => ({ label: `${own} + ${other}`, source: sourceOf(name, writer, second) })),
  ),
  ...pairsOf("n", QUERY),
  ...pairsOf("n", COOKIES),
  ...pairsOf("oauth_callback", OAUTH1),
  ...["consumer_key", "nonce", "signature", "signature_method", "timestamp", "version"].map((name) => ({
    label: `oauth_${name} + the signature`,
    source: sourceOf(`oauth_${name}`, OAUTH1["a parameter"] ?? {}, { rule: () => "credentials: OAUTH1" }),
  })),
  {
    label: "the type of a multipart body + a field",
    source: sourceOf("Content-Type", HEADERS["a field"] ?? {}, { rule: () => "request_encoding: MULTIPART" })
      .replace('"/a"', '"/a" body: "*"')
      .replace("message Req {", "message Req { string other = 9;"),
  },
  ...["Content-Type", "content-type"].flatMap((name) =>
    Object.entries(BODIES_WITH_TYPE).map(([body, source]) => ({
      label: `the type of ${body} + a field named ${name}`,
      source: source(`string type = 9 [${ANNOTATION} = {in: HEADER, name: "${name}"}];`),
    })),
  ),
  ...["User-Agent", "Accept-Encoding", "Host", "Content-Length", "Connection"].flatMap((name) =>
    Object.entries(HEADERS).map(([other, second]) => ({
      label: `${name} of the upstream + ${other}`,
      source: sourceOf(name, second, {}),
    })),
  ),
];

/** Rules with which a field reads the key `user_key` of a response. */
const READERS: Readonly<Record<string, string>> = {
  "a name": 'name: "user_key"',
  "an alias": 'aliases: "user_key"',
  "an alias after another": 'aliases: ["other", "user_key"]',
  "an alias in lowerCamel": 'aliases: "userKey"',
  "an alias of the same name": 'name: "same", aliases: "user_key"',
  "a source": 'from: {path: "user_key"}',
  "a second source": 'from: [{path: "a.b"}, {path: "user_key"}]',
};

/** The places of a field in a message. */
const HOLDERS: Readonly<Record<string, (field: string) => string>> = {
  "a field": (field) => field,
  "a member": (field) => `oneof o { ${field} string other = 9; }`,
  "a nested member": (field) =>
    `oneof o { option (connectrest.v1.oneof) = {discriminator: "t", layout: NESTED}; ${field} string other = 9; }`,
};

const READ_PAIRS: readonly Pair[] = Object.entries(HOLDERS).flatMap(([place, hold]) =>
  Object.entries(READERS).flatMap(([one, first]) =>
    Object.entries(READERS).map(([other, second]) => ({
      label: `${place} by ${one} + a field by ${other}`,
      source: `service S { rpc Get(Req) returns (Res) { option (google.api.http) = {get: "/a"}; } }
message Req {}
message Res {
  ${hold(`string f1 = 1 [${ANNOTATION} = {${first}}];`)}
  string f2 = 2 [${ANNOTATION} = {${second}}];
}`,
    })),
  ),
);

/**
 * Reports whether a pair of readers is intended: both fields read the same value on purpose, or the keys
 * differ, because a source has only one spelling.
 */
function isMeant(label: string): boolean {
  if (label.includes("source") && label.includes("lowerCamel")) return true;
  return !label.includes("an alias") || label.split("an alias of the same name").length === 3;
}

let errors: ReadonlyMap<string, string>;

beforeAll(() => {
  const pairs = [...PAIRS, ...READ_PAIRS];
  const found = errorsOf(pairs.map(({ source }) => `import "google/api/httpbody.proto";\n${source}`));
  errors = new Map(pairs.map(({ label }, index) => [label, found[index]?.join("\n") ?? ""]));
});

test.each(PAIRS)(
  "two writers of the same name are reported, or one overrides the other: $label",
  ({ label }) => {
    const expected = label in REPLACED ? /^$/ : /: (?:name-twice|header-name): /;
    expect(errors.get(label)).toMatch(expected);
  },
);

test.each(READ_PAIRS)("two fields that read the same key are reported, or mean to: $label", ({ label }) => {
  expect(errors.get(label)).toMatch(isMeant(label) ? /^$/ : /: alias-shared: /);
});
