/** The names of all values that a request sends, for each place in the request. */
import type { DescField } from "@bufbuild/protobuf";
import type { BindingModel, BodyModel, FieldPath, MethodModel } from "./model.ts";
import type { Rules } from "./rules.ts";
import { type FieldModel, isChosen, type TypeModels } from "./types.ts";
import { parameterName, requestName } from "./wire-names.ts";

/** A named value of a field or of a rule. */
export interface Named {
  readonly name: string;
  readonly path?: FieldPath;
  /** The name of the rule in messages: `a constant parameter`. */
  readonly rule?: string;
}

/** The rule that sets the idempotency header. A field with the same name replaces the header. */
export const IDEMPOTENCY_KEY = "the idempotency key";

/** The rule that sets the Content-Type of a multipart body, which replaces a constant Content-Type. */
export const MULTIPART_TYPE = "the type of the multipart body";

/** The field with the Content-Type of a google.api.HttpBody or an upload. A constant Content-Type wins. */
export const BODY_TYPE = "the content_type of the body";

const API_KEY = "the API key";

interface Context {
  readonly rules: Rules;
  readonly types: TypeModels;
}

/** Returns the values that are written to each place of a request. */
export function placesOf(
  binding: BindingModel,
  { rules, stream }: Pick<MethodModel, "rules" | "stream">,
  types: TypeModels,
): ReadonlyArray<readonly [place: string, values: readonly Named[]]> {
  const context = { rules, types };
  const constants = (isMeant: (inQuery: boolean) => boolean) =>
    named(
      "a constant parameter",
      rules.parameters.filter(({ inQuery }) => isMeant(inQuery)).map(({ name }) => name),
    );
  const inBody = bodyNames(binding.body, context);
  const isUpload = stream?.kind === "upload" && stream.contentType !== undefined && stream.part === undefined;
  const bodyType = isUpload || binding.body.kind === "http-body" ? ["content-type"] : [];
  const key = rules.credentials.includes("api_key") ? rules.apiKey?.query : undefined;
  const inQuery = constants((inQuery) => inQuery || inBody === undefined);
  const query = [...inQuery, ...named(API_KEY, [key]), ...parameters(binding.query, context)];
  return [
    ["the query", query],
    ["the headers", headersOf(binding, named(BODY_TYPE, bodyType), context)],
    ["the cookies", direct(binding.cookies, context)],
    ["the Authorization header", [...oauth1Names(rules), ...direct(binding.oauth1Params, context)]],
    ...(inBody === undefined
      ? []
      : ([["the body", [...constants((inQuery) => !inQuery), ...inBody]]] as const)),
  ];
}

function named(rule: string, names: ReadonlyArray<string | undefined>): Named[] {
  return names.flatMap((name) => (name === undefined ? [] : [{ name, rule }]));
}

function direct(paths: readonly FieldPath[], { rules, types }: Context): Named[] {
  return paths.map((path) => ({ name: requestName(path.at(-1) as DescField, rules.json, types), path }));
}

/** Returns the values that are written to headers. Header names are case-insensitive. */
function headersOf(
  { headers, cookies, body }: BindingModel,
  bodyType: readonly Named[],
  context: Context,
): Named[] {
  const { rules } = context;
  const constants = rules.headers.map(({ name }) => name);
  const values = [
    ...named("a constant header", constants),
    ...named(IDEMPOTENCY_KEY, [rules.idempotencyKey]),
    ...credentialHeaders(rules),
    ...named("the header of the cookies", cookies.length > 0 ? ["cookie"] : []),
    ...(body.kind === "multipart" ? named(MULTIPART_TYPE, ["content-type"]) : []),
    ...bodyType,
    ...direct(headers, context),
  ];
  return values.map((value) => ({ ...value, name: value.name.toLowerCase() }));
}

/**
 * Returns the headers of credentials. A call sends one kind of credentials, so two kinds may use the same
 * header.
 */
function credentialHeaders({ credentials, apiKey }: Rules): Named[] {
  const keyHeader = credentials.includes("api_key") ? apiKey?.header : undefined;
  const isAuthorized = credentials.some((kind) => kind !== "none" && kind !== "api_key");
  if (!isAuthorized) return named(API_KEY, [keyHeader]);
  const others = named("the credentials", ["authorization"]);
  return keyHeader?.toLowerCase() === "authorization" ? others : [...named(API_KEY, [keyHeader]), ...others];
}

/**
 * Returns the protocol parameters that a signature adds (RFC 5849 section 3.1). Fields may replace the token.
 */
function oauth1Names({ credentials }: Rules): Named[] {
  if (!credentials.some((kind) => kind.startsWith("oauth1"))) return [];
  const names = ["consumer_key", "signature_method", "signature", "timestamp", "nonce", "version"];
  return named(
    "a parameter of the signature",
    names.map((name) => `oauth_${name}`),
  );
}

/**
 * Returns the names in a body that has names; undefined for other bodies. Constants are in the body if it has
 * names, otherwise in the query.
 */
function bodyNames(body: BodyModel, context: Context): Named[] | undefined {
  switch (body.kind) {
    case "fields":
      return keys(body.fields, context);
    case "form":
      return parameters(body.paths, context);
    case "multipart":
      return body.jsonPart === undefined ? parameters(body.paths, context) : keys(body.fields, context);
    default:
      return undefined;
  }
}

/** Returns fields as keys of a JSON object. Members of a chosen oneof have a different layout. */
function keys(fields: readonly DescField[], { rules, types }: Context): Named[] {
  return fields
    .filter((field) => !types.field(field).unknown)
    .filter((field) => field.oneof === undefined || !isChosen(field.oneof, types))
    .map((field) => ({ name: requestName(field, rules.json, types), path: [field] }));
}

function parameters(paths: readonly FieldPath[], { rules, types }: Context): Named[] {
  return paths.flatMap((path) => {
    const field = path.at(-1) as DescField;
    if (field.fieldKind === "map") return [];
    return [{ name: parameterName(path, rules, types) + suffixOf(types.field(field)), path }];
  });
}

/** Returns the suffix that a style adds to the name: `tag[]` and `tag` are two parameters. */
function suffixOf({ style }: FieldModel): string {
  return style === "brackets" ? "[]" : style === "indexed" ? "[0]" : "";
}
