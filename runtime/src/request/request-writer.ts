import type { JsonValue } from "connect-rest-codec/internal";
import { stringifyJson } from "connect-rest-codec/internal";
import type { BodyPart, RestBody, RestRequest } from "../adapter/rest-request.ts";
import { cookieValue, headerValue } from "./header-value.ts";
import { invalidParameter } from "./invalid-value.ts";
import { type NestedListStyle, nestedParameters } from "./nested-parameters.ts";
import {
  commaText,
  type ListStyle,
  Parameters,
  type ParameterValue,
  pagingKey,
  wellFormed,
} from "./parameters.ts";

/** The properties of a part that contains bytes. */
export interface BytesPart {
  /** Default: `application/octet-stream`. */
  readonly contentType?: string | undefined;
  /** Default: none. */
  readonly filename?: string | undefined;
}

/**
 * Builds one REST call. Generated code creates a writer with the HTTP method and the expanded path, adds the
 * values of the message, and returns the writer. All functions skip undefined values. For a value that cannot
 * be sent, they throw a ConnectError with INVALID_ARGUMENT, reason PARAMETER_VALUE_INVALID and a field
 * violation.
 */
export class RequestWriter implements RestRequest {
  readonly verb: string;
  readonly path: string;
  readonly headers: Array<readonly [name: string, value: string]> = [];
  readonly oauth1Params: Array<readonly [name: string, value: string]> = [];
  private readonly queryParameters = new Parameters("query");
  private readonly formParameters = new Parameters("form");
  private readonly parts: BodyPart[] = [];
  private cookies = "";
  private content: RestBody | undefined;

  /**
   * @param verb the HTTP method, in upper case
   * @param path the absolute and encoded path, with variables expanded by `pathSegment` or `pathSegments`
   */
  constructor(verb: string, path: string) {
    this.verb = verb;
    this.path = path;
  }

  get queryString(): string {
    return this.queryParameters.text;
  }

  get body(): RestBody | undefined {
    if (this.content !== undefined) return this.content;
    if (this.parts.length > 0) return { kind: "multipart", parts: this.parts };
    const form = this.formParameters.text;
    return form === "" ? undefined : { kind: "form", text: form };
  }

  /** Adds a query parameter. */
  query(name: string, value: ParameterValue | undefined): void {
    this.queryParameters.add(name, value);
  }

  /** Adds a list to the query, unless it is empty. */
  queryList(name: string, values: readonly ParameterValue[], style: ListStyle): void {
    this.queryParameters.list(name, values, style);
  }

  /**
   * Adds the entries of a map as query parameters. Each entry replaces the parameters with the same name.
   * `field` is the name of the map in errors. Names in `reserved` are skipped, and names in `paging` are
   * rejected.
   */
  queryMap(
    field: string,
    entries: Readonly<Record<string, ParameterValue>>,
    reserved?: readonly string[],
    paging?: readonly string[],
  ): void {
    this.queryParameters.map(field, entries, reserved, paging);
  }

  /** Adds a JSON value as query parameters with brackets: `items[0][price]`. */
  queryTree(name: string, value: JsonValue, lists: NestedListStyle): void {
    for (const [key, item] of nestedParameters(name, value, lists, "query")) this.query(key, item);
  }

  /**
   * Adds a parameter to an `application/x-www-form-urlencoded` body. If no parameter is added, there is no
   * body.
   */
  form(name: string, value: ParameterValue | undefined): void {
    this.formParameters.add(name, value);
  }

  /** Adds a list to the form, unless it is empty. */
  formList(name: string, values: readonly ParameterValue[], style: ListStyle): void {
    this.formParameters.list(name, values, style);
  }

  /** Adds the entries of a map as form parameters, like `queryMap`. */
  formMap(
    field: string,
    entries: Readonly<Record<string, ParameterValue>>,
    reserved?: readonly string[],
    paging?: readonly string[],
  ): void {
    this.formParameters.map(field, entries, reserved, paging);
  }

  /** Adds a JSON value as form parameters with brackets. */
  formTree(name: string, value: JsonValue, lists: NestedListStyle): void {
    for (const [key, item] of nestedParameters(name, value, lists, "form")) this.form(key, item);
  }

  /** Adds a JSON value as text parts whose names have brackets. */
  partTree(name: string, value: JsonValue, lists: NestedListStyle): void {
    for (const [key, item] of nestedParameters(name, value, lists, "form")) this.part(key, item, name);
  }

  /**
   * Adds a text part to a `multipart/form-data` body. The order of the parts is the order of these calls.
   * `field` is the name of the part in errors.
   */
  part(name: string, value: ParameterValue | undefined, field = name): void {
    if (value === undefined) return;
    this.addPart({ name, content: { kind: "text", text: wellFormed(field, "form", value) } }, field);
  }

  /**
   * Adds a list as text parts: with the names that a form would use (`tag`, `tag[]` or `tag[0]`), or as one
   * part with commas.
   */
  partList(name: string, values: readonly ParameterValue[], style: ListStyle): void {
    if (style === "comma") {
      if (values.length > 0) this.part(name, commaText(name, "form", values));
      return;
    }
    values.forEach((value, index) => {
      this.part(style === "repeat" ? name : style === "brackets" ? `${name}[]` : `${name}[${index}]`, value);
    });
  }

  /** Adds the entries of a map as parts, except names in `reserved`; rejects names in `paging`. */
  partMap(
    field: string,
    entries: Readonly<Record<string, ParameterValue>>,
    reserved: readonly string[] = [],
    paging: readonly string[] = [],
  ): void {
    for (const [key, value] of Object.entries(entries)) {
      if (reserved.includes(key)) continue;
      if (paging.includes(key)) throw pagingKey(field, key, "form", entries);
      this.part(key, value, `${field}.${key}`);
    }
  }

  /**
   * Adds a part with bytes, e.g. a file, or with text. An empty content type or file name counts as unset.
   */
  partBytes(
    name: string,
    value: Uint8Array | string | undefined,
    { contentType, filename }: BytesPart = {},
  ): void {
    if (value === undefined) return;
    this.addPart({
      name,
      filename: filename ? checkedName(`${name} filename`, filename) : undefined,
      contentType: contentType ? headerValue("content-type", contentType) : undefined,
      content:
        typeof value === "string"
          ? { kind: "text", text: wellFormed(name, "form", value) }
          : { kind: "bytes", bytes: value },
    });
  }

  /** Adds a part with JSON. */
  partJson(name: string, value: JsonValue | undefined): void {
    if (value !== undefined) this.addPart({ name, content: { kind: "json", value } });
  }

  private addPart(part: BodyPart, field = part.name): void {
    checkedName(field, part.name);
    this.parts.push(part);
  }

  /** Adds a request header. */
  header(name: string, value: ParameterValue | undefined): void {
    if (value !== undefined) this.headers.push([name.toLowerCase(), headerValue(name, value)]);
  }

  /** Adds a cookie. All cookies share one `Cookie` header (RFC 6265 section 5.4). */
  cookie(name: string, value: ParameterValue | undefined): void {
    if (value === undefined) return;
    const pair = `${name}=${cookieValue(name, value)}`;
    this.cookies = this.cookies === "" ? pair : `${this.cookies}; ${pair}`;
    const index = this.headers.findIndex(([header]) => header === "cookie");
    this.headers.splice(index < 0 ? this.headers.length : index, 1, ["cookie", this.cookies]);
  }

  /**
   * Adds a protocol parameter of OAuth 1.0a, e.g. `oauth_callback`. `oauth_token` and `oauth_token_secret`
   * replace the token and the secret of the credentials. The secret signs the request and is not sent.
   */
  oauth1Param(name: string, value: ParameterValue | undefined): void {
    if (value !== undefined) this.oauth1Params.push([name, wellFormed(name, "Authorization header", value)]);
  }

  /** Sets a JSON body, unless the value is undefined. A bigint is written as an exact number. */
  json(value: JsonValue | undefined): void {
    if (value !== undefined) this.content = { kind: "json", value };
  }

  /** Sets a body of JSON values, each on a separate line (NDJSON). */
  jsonLines(values: readonly JsonValue[]): void {
    const text = values.map((value) => `${stringifyJson(value)}\n`).join("");
    this.content = { kind: "bytes", contentType: "application/x-ndjson", bytes: Buffer.from(text) };
  }

  /** Sets a body of any other type. */
  bytes(contentType: string, bytes: Uint8Array): void {
    this.content = { kind: "bytes", contentType: headerValue("content-type", contentType), bytes };
  }
}

/**
 * Checks the name of a part or of its file.
 *
 * @throws ConnectError INVALID_ARGUMENT for characters that multipart parsers read as a quote or a line break
 */
function checkedName(field: string, name: string): string {
  if (!/%(?:22|0D|0A)/i.test(name)) return wellFormed(field, "form", name);
  const problem = "contains %22, %0D or %0A, which are read as a quote or a line break";
  throw invalidParameter(field, "form", { problem, remedy: "send a name without them" }, { value: name });
}
