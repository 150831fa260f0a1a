import type { Api, Operation, Requirement, Scheme } from "../normalize/api.ts";
import { type OptionValue, Token } from "../proto/model.ts";
import type { Cause } from "../report/causes.ts";
import { isLine, isOwned, isToken } from "./wire-names.ts";

/** The credentials of a method. */
export interface Credentials {
  /** A string that is equal for methods with the same requirements. */
  readonly identity: string;
  readonly rules: Readonly<Record<string, OptionValue>>;
  /** The header or the query parameter of the API key. */
  readonly apiKey: ApiKey | undefined;
  readonly scopes: readonly string[];
  readonly causes: readonly Cause[];
}

interface ApiKey {
  readonly header?: string;
  readonly query?: string;
}

interface Kind {
  readonly kind: "API_KEY" | "BASIC" | "OAUTH2" | "NONE";
  readonly apiKey?: ApiKey;
  readonly scopes: readonly string[];
}

/** Returns the credentials that an operation accepts, in the order of the document. */
export function credentialsOf(api: Api, { security }: Operation): Credentials {
  const causes = new Set<Cause>();
  const kinds = (security ?? []).flatMap((requirement) => kindOf(api, requirement, causes) ?? []);
  const distinct = [...new Map(kinds.map((kind) => [kind.kind, kind])).values()];
  const names = distinct.map(({ kind }) => kind);
  const apiKey = distinct.find((kind) => kind.apiKey !== undefined)?.apiKey;
  const isNone = names.every((name) => name === "NONE");
  const tokens = names.map((name) => new Token(name));
  const rules: Record<string, OptionValue> = isNone
    ? { credentials: new Token("NONE") }
    : { credentials: tokens.length === 1 ? (tokens[0] ?? "") : tokens };
  if (apiKey !== undefined) rules.api_key = { ...apiKey };
  const scopes = names.includes("OAUTH2") ? distinct.flatMap((kind) => kind.scopes) : [];
  return {
    identity: JSON.stringify([names, apiKey]),
    rules,
    apiKey,
    scopes: [...new Set(scopes)].filter(isScope),
    causes: [...causes],
  };
}

/** Reports whether a string is a scope (RFC 6749 section 3.3). */
function isScope(text: string): boolean {
  return /^[\x21\x23-\x5B\x5D-\x7E]+$/.test(text);
}

/**
 * Returns the kind of credentials for one alternative. If the alternative requires several schemes together,
 * the first supported scheme counts.
 */
function kindOf(api: Api, requirement: Requirement, causes: Set<Cause>): Kind | undefined {
  if (requirement.size === 0) return { kind: "NONE", scopes: [] };
  if (requirement.size > 1) causes.add("several-credentials");
  for (const [name, scopes] of requirement) {
    const scheme = api.schemes.get(name);
    const found = scheme === undefined ? undefined : sent(scheme, scopes);
    if (found !== undefined) return found;
  }
  causes.add("credentials-kind");
  return undefined;
}

function sent(scheme: Scheme, scopes: readonly string[]): Kind | undefined {
  if (scheme.kind === "basic") return { kind: "BASIC", scopes: [] };
  if (scheme.kind === "bearer" || scheme.kind === "oauth2") return { kind: "OAUTH2", scopes };
  if (scheme.kind !== "apiKey" || scheme.name === "" || !isLine(scheme.name)) return undefined;
  if (scheme.in === "query") return { kind: "API_KEY", apiKey: { query: scheme.name }, scopes: [] };
  return scheme.in === "header" && isToken(scheme.name) && !isOwned(scheme.name)
    ? { kind: "API_KEY", apiKey: { header: scheme.name }, scopes: [] }
    : undefined;
}
