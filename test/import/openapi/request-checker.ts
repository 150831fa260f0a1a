/** Checks recorded requests against the operations of a document. */
import {
  isObject,
  itemsOf,
  type Json,
  type JsonObject,
  keysOf,
  memberOf,
  OpenApi,
  type Operation,
  type Part,
} from "./document.ts";
import {
  bracketTree,
  decoded,
  delimitedValue,
  hasProperty,
  itemOf,
  type Pair,
  pairsOf,
  propertyOf,
  typesOf,
  valueIn,
} from "./parameters.ts";
import { SchemaValidator } from "./schema-validator.ts";
import { parseExact, type Value } from "./values.ts";

/** A request that an upstream received. */
export interface RecordedRequest {
  readonly method: string;
  /** The path and the query. */
  readonly target: string;
  readonly headers: ReadonlyMap<string, string>;
  readonly body: Uint8Array<ArrayBuffer>;
}

/** The losses of requests, by the report of the import. */
export interface Reported {
  /** The positions of schemas whose patterns are not checked. */
  readonly patterns: readonly string[];
  /** The positions of unions that became one message with the fields of all alternatives. */
  readonly merged: readonly string[];
  /** The positions of unions whose strings and numbers may exceed the limits of all alternatives. */
  readonly unions: readonly string[];
  /** The keys that are omitted although the document requires them. */
  readonly keys: readonly string[];
}

/** The headers that HTTP clients set, and the headers with credentials. */
const OWN_HEADERS = new Set(
  "host connection accept accept-encoding authorization content-type content-length transfer-encoding user-agent cookie traceparent".split(
    " ",
  ),
);

export class RequestChecker {
  private readonly document: OpenApi;
  private readonly validator: SchemaValidator;

  constructor(document: OpenApi, reported: Reported) {
    const unsaid = { reported: new Set(reported.keys), readOnly: new Set(readOnlyKeys(document.value)) };
    const value = withoutUnsaid(document.value, unsaid);
    for (const place of reported.patterns) removeKeywords(valueAt(value, place), ["pattern"]);
    // a message with the fields of all alternatives may have any of them
    for (const place of reported.merged) removeKeywords(valueAt(value, place), ["anyOf"]);
    for (const place of reported.unions) {
      for (const part of itemsOf(memberOf(valueAt(value, place), "anyOf"))) removeKeywords(part, LIMITS);
    }
    this.document = new OpenApi(value as JsonObject, document.isConverted);
    this.validator = new SchemaValidator(this.document.value, document.version);
  }

  /** Returns everything in a request that its operation does not allow. */
  async problems(operation: Operation, request: RecordedRequest): Promise<readonly string[]> {
    const { method, target, headers } = request;
    if (method !== operation.verb) return [`${method} in place of ${operation.verb}`];
    const [path = "", query = ""] = target.split(/\?(.*)/s);
    return [
      ...(await this.pathProblems(operation, path)),
      ...(await this.queryProblems(operation, query)),
      ...(await this.headerProblems(operation, headers)),
      ...(await this.bodyProblems(operation, request)),
    ];
  }

  private async pathProblems({ path, parameters }: Operation, sent: string): Promise<string[]> {
    const template = path.replace(/[?#].*$/s, "");
    const names = [...template.matchAll(/\{([^{}]*)\}/g)].map(([, name = ""]) => name);
    const literal = template
      .split(/\{[^{}]*\}/)
      .map((text) => encodeURI(text).replaceAll(/[.*+?^${}()|[\]\\]/g, "\\$&"));
    const found = new RegExp(`^${literal.join("([^/]+?)")}$`).exec(sent);
    if (found === null) return [`${sent} does not match ${path}`];
    const problems: string[] = [];
    for (const [index, name] of names.entries()) {
      const parameter = parameters.find(({ value }) => isParameter(value, "path", name));
      const schema = parameter === undefined ? undefined : this.document.child(parameter, "schema");
      const raw = found[index + 1] ?? "";
      if (schema !== undefined) {
        problems.push(
          ...(await this.validated(schema, name, () => delimitedValue(this.document, schema, raw, "simple"))),
        );
      }
    }
    return problems;
  }

  private async queryProblems(operation: Operation, query: string): Promise<string[]> {
    const constants = pairsOf(/\?([^#]*)/.exec(operation.path)?.[1] ?? "");
    let pairs = pairsOf(query);
    const problems: string[] = [];
    for (const constant of constants) {
      const found = pairs.find((pair) => pair.name === constant.name && pair.raw === constant.raw);
      if (found === undefined) problems.push(`${constant.name} is missing`);
      pairs = pairs.filter((pair) => pair !== found);
    }
    for (const parameter of operation.parameters) {
      if (memberOf(parameter.value, "in") !== "query") continue;
      const name = String(memberOf(parameter.value, "name"));
      const used = await this.queryParameter(parameter, name, pairs, problems);
      if (used.length === 0 && memberOf(parameter.value, "required") === true) {
        problems.push(`${name} is missing`);
      }
      pairs = pairs.filter((pair) => !used.includes(pair));
    }
    const keys = this.apiKeys("query");
    return [
      ...problems,
      ...pairs.filter(({ name }) => !keys.includes(name)).map(({ name }) => `no parameter ${name}`),
    ];
  }

  /** Reads a parameter, adds its problems, and returns the pairs that belong to the parameter. */
  private async queryParameter(
    parameter: Part,
    name: string,
    pairs: readonly Pair[],
    problems: string[],
  ): Promise<readonly Pair[]> {
    const { document } = this;
    const content = document.child(parameter, "content");
    const own = pairs.filter((pair) => pair.name === name);
    if (content !== undefined) {
      const schema = document.child(content, keysOf(content.value)[0] ?? "", "schema");
      if (schema !== undefined && own[0] !== undefined) {
        const text = decoded(own[0].raw);
        problems.push(...(await this.validated(schema, name, () => parseExact(text))));
      }
      return own.slice(0, 1);
    }
    const schema = document.child(parameter, "schema");
    if (schema === undefined) return own.slice(0, 1);
    const style = String(memberOf(parameter.value, "style") ?? "form");
    const explode = (memberOf(parameter.value, "explode") ?? style === "form") === true;
    const brackets = style === "deepObject" ? bracketTree(pairs, name) : undefined;
    if (brackets !== undefined) {
      problems.push(...(await this.validated(schema, name, () => valueIn(document, schema, brackets.tree))));
      return brackets.used;
    }
    const spread = pairs.filter((pair) => hasProperty(document, schema, pair.name));
    if (
      explode &&
      style === "form" &&
      own.length === 0 &&
      typesOf(document, schema).has("object") &&
      spread.length > 0
    ) {
      const tree = Object.fromEntries(spread.map((pair) => [pair.name, decoded(pair.raw)]));
      problems.push(...(await this.validated(schema, name, () => valueIn(document, schema, tree))));
      return spread;
    }
    if (own.length > 0) {
      problems.push(
        ...(await this.validated(schema, name, () => this.formValue(schema, own, style, explode))),
      );
    }
    return own;
  }

  private formValue(schema: Part, own: readonly Pair[], style: string, explode: boolean): Value {
    const types = typesOf(this.document, schema);
    if (explode && types.has("array") && (own.length > 1 || types.size === 1)) {
      return own.map(({ raw }) => itemOf(this.document, schema, decoded(raw)));
    }
    if (own.length > 1) throw new Error("is sent twice");
    const raw = own[0]?.raw ?? "";
    const isWhole = style === "deepObject" || (explode && style === "form");
    return isWhole
      ? valueIn(this.document, schema, decoded(raw))
      : delimitedValue(this.document, schema, raw, style);
  }

  private async headerProblems(
    { parameters }: Operation,
    headers: ReadonlyMap<string, string>,
  ): Promise<string[]> {
    const problems: string[] = [];
    const declared = new Set<string>([
      ...OWN_HEADERS,
      ...this.apiKeys("header").map((name) => name.toLowerCase()),
    ]);
    const cookies = new Map(
      (headers.get("cookie") ?? "").split("; ").map((pair) => pair.split(/=(.*)/s) as [string, string]),
    );
    for (const parameter of parameters) {
      const name = String(memberOf(parameter.value, "name"));
      const place = memberOf(parameter.value, "in");
      if (place !== "header" && place !== "cookie") continue;
      if (place === "header") declared.add(name.toLowerCase());
      const text = place === "header" ? headers.get(name.toLowerCase()) : cookies.get(name);
      if (text === undefined || OWN_HEADERS.has(name.toLowerCase())) continue;
      const content = this.document.child(parameter, "content");
      const schema =
        content === undefined
          ? this.document.child(parameter, "schema")
          : this.document.child(content, keysOf(content.value)[0] ?? "", "schema");
      if (schema === undefined) continue;
      const read = () =>
        content === undefined
          ? delimitedValue(
              this.document,
              schema,
              text.replaceAll("%", "%25").replaceAll("+", "%2B"),
              "simple",
            )
          : parseExact(text);
      problems.push(...(await this.validated(schema, name, read)));
    }
    return [
      ...problems,
      ...[...headers.keys()].filter((name) => !declared.has(name)).map((name) => `no header ${name}`),
    ];
  }

  private async bodyProblems(
    { body, verb }: Operation,
    request: RecordedRequest,
  ): Promise<readonly string[]> {
    const type = request.headers.get("content-type");
    const isRequired = body !== undefined && memberOf(body.value, "required") === true && verb !== "GET";
    if (request.body.length === 0 && type === undefined) return isRequired ? ["no body"] : [];
    if (body === undefined) return [`a body of type ${type}`];
    const plain = (type ?? "").replace(/;.*$/, "");
    const types = keysOf(memberOf(body.value, "content"));
    const name = types.find(
      (each) => each.replace(/;.*$/, "") === plain || each === "*/*" || this.isForm(each, plain),
    );
    if (name === undefined) return [`Content-Type ${type}, expected ${types.join(" or ")}`];
    const content = this.document.child(body, "content", name);
    const schema = content === undefined ? undefined : this.document.child(content, "schema");
    if (content === undefined || schema === undefined) return [];
    if (/[/+]json$/.test(plain)) {
      return await this.validated(schema, "body", () => parseExact(new TextDecoder().decode(request.body)));
    }
    if (plain === "application/x-www-form-urlencoded") {
      const pairs = pairsOf(new TextDecoder().decode(request.body));
      return await this.validated(schema, "body", () => this.formBody(content, schema, pairs));
    }
    if (plain.startsWith("multipart/")) return await this.multipartProblems(content, schema, request);
    return [];
  }

  /** Reports whether a form may be sent, since Swagger 2.0 does not distinguish forms without files. */
  private isForm(declared: string, sent: string): boolean {
    const { isConverted } = this.document;
    return isConverted && declared === "multipart/form-data" && sent === "application/x-www-form-urlencoded";
  }

  private formBody(content: Part, schema: Part, pairs: readonly Pair[]): Value {
    const { document } = this;
    let rest = pairs;
    const entries: [string, Value][] = [];
    for (const head of new Set(pairs.map(({ name }) => name.replace(/\[.*$/s, "")))) {
      const property = propertyOf(document, schema, head);
      if (property === undefined) throw new Error(`no property ${head}`);
      const own = rest.filter(({ name }) => name === head);
      const type = String(memberOf(document.child(content, "encoding", head)?.value, "contentType") ?? "");
      const brackets = bracketTree(rest, head);
      if (type.includes("json")) {
        entries.push([head, parseExact(decoded(own[0]?.raw ?? ""))]);
      } else if (brackets !== undefined) {
        entries.push([head, valueIn(document, property, brackets.tree)]);
      } else {
        entries.push([head, this.formValue(property, own, "form", true)]);
      }
      rest = rest.filter((pair) => !own.includes(pair) && brackets?.used.includes(pair) !== true);
    }
    return Object.fromEntries(entries);
  }

  /** Reads parts of a multipart body: files, JSON for objects, and otherwise text. */
  private async multipartProblems(
    content: Part,
    schema: Part,
    request: RecordedRequest,
  ): Promise<readonly string[]> {
    const { document } = this;
    const form = await new Response(request.body, {
      headers: { "content-type": request.headers.get("content-type") ?? "" },
    }).formData();
    const read = (): Value => {
      const entries = [...new Set(form.keys())].map((name): [string, Value] => {
        const property = document.child(schema, "properties", name);
        if (property === undefined) throw new Error(`no property ${name}`);
        const values = form.getAll(name).map((part) => (typeof part === "string" ? part : "(file)"));
        const types = typesOf(document, property);
        if (types.has("object")) return [name, parseExact(values[0] ?? "")];
        if (types.has("array")) return [name, values.map((text) => itemOf(document, property, text))];
        return [name, valueIn(document, property, values[0] ?? "")];
      });
      return Object.fromEntries(entries);
    };
    return await this.validated(schema, `body (${content.pointer})`, read);
  }

  private async validated(schema: Part, name: string, read: () => Value): Promise<string[]> {
    try {
      const value = read();
      const found = await this.validator.problems(document(schema), value);
      return found.map(
        (problem) => `${name}: ${problem}, got ${String(JSON.stringify(value, bigText)).slice(0, 300)}`,
      );
    } catch (error) {
      return [`${name}: ${error instanceof Error ? error.message : String(error)}`];
    }
  }

  private apiKeys(place: string): string[] {
    const schemes = memberOf(memberOf(this.document.value, "components"), "securitySchemes");
    return keysOf(schemes).flatMap((key) => {
      const scheme = memberOf(schemes, key);
      return memberOf(scheme, "type") === "apiKey" && memberOf(scheme, "in") === place
        ? [String(memberOf(scheme, "name"))]
        : [];
    });
  }
}

function document({ pointer }: Part): string {
  return pointer;
}

function bigText(_: string, value: unknown): unknown {
  return typeof value === "bigint" ? String(value) : value;
}

function isParameter(value: Json, place: string, name: string): boolean {
  return memberOf(value, "in") === place && memberOf(value, "name") === name;
}

/**
 * The keywords for which requests have no rules, and which clients of the adapters must observe
 * themselves.
 */
const UNSAID: ReadonlySet<string> = new Set([
  "multipleOf",
  "not",
  "uniqueItems",
  "minItems",
  "minProperties",
  "if",
  "then",
  "else",
]);
/** The formats for which requests have types or rules. */
const SAID_FORMATS: ReadonlySet<string> = new Set(
  "date-time byte binary int32 int64 uint64 float double email hostname ipv4 ipv6 uri uuid".split(" "),
);

/** The required keys that requests cannot contain. */
interface Unsaid {
  readonly reported: ReadonlySet<string>;
  readonly readOnly: ReadonlySet<string>;
}

/**
 * Returns a document without the keywords for which requests have no rules, and without required keys that
 * requests cannot contain.
 */
function withoutUnsaid(value: Json, unsaid: Unsaid, isMap = false): Json {
  if (Array.isArray(value)) return value.map((item: Json) => withoutUnsaid(item, unsaid));
  if (!isObject(value)) return value;
  const entries = Object.entries(value).flatMap(([key, each]): [string, Json][] => {
    if (isMap) return [[key, withoutUnsaid(each, unsaid)]];
    if (UNSAID.has(key) && typeof each !== "string") return [];
    if (key === "format" && typeof each === "string" && !SAID_FORMATS.has(each)) return [];
    if ((key === "oneOf" || key === "anyOf") && itemsOf(each).every(isConstraint)) return [];
    // a request may match several alternatives
    if (key === "oneOf") return [["anyOf", withoutUnsaid(each, unsaid)]];
    if (key === "required" && Array.isArray(each)) {
      return [[key, each.filter((name: Json) => isSaid(value, String(name), unsaid))]];
    }
    if (key === "enum" || key === "example" || key === "examples" || key === "default") return [[key, each]];
    return [[key, withoutUnsaid(each, unsaid, key === "properties")]];
  });
  return Object.fromEntries(entries);
}

/** Returns the keys of all properties that only responses have. */
function readOnlyKeys(value: Json): readonly string[] {
  if (typeof value !== "object" || value === null) return [];
  const properties = isObject(value) ? memberOf(value, "properties") : undefined;
  const own = keysOf(properties).filter((key) => memberOf(memberOf(properties, key), "readOnly") === true);
  return [...own, ...Object.values(value).flatMap(readOnlyKeys)];
}

/**
 * Reports whether a request must have a property. A schema may require a property that another part of an
 * allOf declares.
 */
function isSaid(schema: JsonObject, name: string, unsaid: Unsaid): boolean {
  const property = memberOf(schema.properties, name);
  const isReadOnly =
    property === undefined ? unsaid.readOnly.has(name) : memberOf(property, "readOnly") === true;
  return !isReadOnly && !unsaid.reported.has(name);
}

/** Reports whether a schema only requires keys. */
function isConstraint(schema: Json): boolean {
  return keysOf(schema).every((key) => key === "required" || key === "title" || key === "description");
}

/** The keywords that limit strings and numbers. */
const LIMITS = "format minLength maxLength pattern minimum maximum exclusiveMinimum exclusiveMaximum".split(
  " ",
);

/** Returns the schema at a position in the document of the import. */
function valueAt(document: Json, place: string): Json | undefined {
  let value: Json | undefined = document;
  for (const step of place.split("/").slice(1)) {
    // withoutUnsaid renames the keyword
    const key = step === "oneOf" ? "anyOf" : step.replaceAll("~1", "/").replaceAll("~0", "~");
    value = memberOf(value, key);
  }
  return value;
}

function removeKeywords(schema: Json | undefined, keywords: readonly string[]): void {
  if (!isObject(schema)) return;
  for (const keyword of keywords) Reflect.deleteProperty(schema, keyword);
}
