import type { DescMethod } from "@bufbuild/protobuf";
import { Code, type ConnectError } from "@connectrpc/connect";
import type { Caller, Subject } from "../../call/caller.ts";
import { gatewayError } from "../../call/gateway-error.ts";
import { methodName } from "../../call/method-path.ts";
import type { HttpRequest } from "../../listener/http.ts";
import { RESOURCE_METADATA_PATH } from "../server/metadata.ts";
import type { StoredToken } from "../server/stored-token.ts";
import { type BearerProblem, readBearer } from "./bearer.ts";
import { hasScopes, type ScopeMap, type ScopeNeed } from "./scopes.ts";
import type { Tokens } from "./tokens.ts";

/** Why a request is not served (RFC 6750 section 3). */
export interface Denial {
  readonly error: ConnectError;
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
}

/** What the check of a request came to, for metrics. */
export type TokenOutcome = "ok" | "missing" | "malformed" | "invalid" | "scope" | "person" | "unavailable";

export interface ResourceServerOptions {
  readonly publicUrl: string;
  readonly tokens: Tokens;
  readonly scopes: ScopeMap;
  /** Whether a method may be called without a token. */
  readonly isOpen: (method: DescMethod) => boolean;
  /** Whether a method has nothing to be called with upstream, but a person's credentials. */
  readonly needsPerson: (method: DescMethod) => boolean;
  readonly onChecked: (outcome: TokenOutcome) => void;
  /** Notified of failures of the store. */
  readonly onError: (error: unknown) => void;
}

/**
 * Finds out whose a request is, by its token: the caller with what the token says, or why it is refused. A promise only
 * where a token has to be looked up; it does not reject.
 *
 * @param method undefined for a path that is no method, which is told to those alone who may call
 */
export type Authenticate = (
  request: HttpRequest,
  caller: Caller,
  method: DescMethod | undefined,
) => Caller | Denial | Promise<Caller | Denial>;

const TEXTS: Readonly<Record<Exclude<BearerProblem, "missing">, string>> = {
  malformed: "the Authorization header must be Bearer and a token, nothing else",
  twice: "there must be one Authorization header",
  "in the query": "the token must be in the Authorization header, not in the query of the address",
};

/** Creates the check of tokens for the methods of the gateway. */
export function createResourceServer(options: ResourceServerOptions): Authenticate {
  const { tokens, isOpen, onChecked, onError } = options;
  const challenges = new Challenges(options);
  const settle = (token: StoredToken | undefined, caller: Caller, method: DescMethod | undefined) => {
    const denial = token === undefined ? challenges.invalid() : refusal(token, method, options, challenges);
    onChecked(denial?.outcome ?? "ok");
    if (denial !== undefined) return denial;
    return { ...caller, subject: token && subjectOf(token) };
  };
  return (request, caller, method) => {
    if (method !== undefined && isOpen(method)) return caller;
    const bearer = readBearer(request);
    if (typeof bearer === "string") {
      onChecked(bearer === "missing" ? "missing" : "malformed");
      return bearer === "missing" ? challenges.missing(method) : challenges.malformed(TEXTS[bearer]);
    }
    const found = tokens.find(bearer.token);
    if (!(found instanceof Promise)) return settle(found, caller, method);
    return found.then(
      (token) => settle(token, caller, method),
      (error: unknown) => {
        onError(error);
        onChecked("unavailable");
        return unavailable();
      },
    );
  };
}

const SUBJECTS = new WeakMap<StoredToken, Subject>();

/** The same for all calls with a token that is remembered. */
function subjectOf(token: StoredToken): Subject {
  const known = SUBJECTS.get(token);
  if (known !== undefined) return known;
  const { clientId, subject: person, sessionId, scopes } = token;
  const subject = { clientId, person, sessionId, scopes };
  SUBJECTS.set(token, subject);
  return subject;
}

type Refusal = Denial & { readonly outcome: TokenOutcome };

function refusal(
  { scopes, subject }: StoredToken,
  method: DescMethod | undefined,
  options: ResourceServerOptions,
  challenges: Challenges,
): Refusal | undefined {
  if (method === undefined) return undefined;
  const need = options.scopes.needOf(method);
  if (need !== undefined && !hasScopes(need, scopes)) return challenges.insufficient(method, need);
  return subject === undefined && options.needsPerson(method) ? personRequired(method) : undefined;
}

/** The values of `WWW-Authenticate` (RFC 6750 section 3, RFC 9728 section 5.1). */
class Challenges {
  private readonly metadata: string;
  private readonly scopes: ScopeMap;

  constructor({ publicUrl, scopes }: ResourceServerOptions) {
    this.metadata = `resource_metadata="${publicUrl}${RESOURCE_METADATA_PATH}"`;
    this.scopes = scopes;
  }

  missing(method: DescMethod | undefined): Denial {
    const need = method && this.scopes.needOf(method);
    const scope = need === undefined ? "" : `, scope="${scopesText(need)}"`;
    const text = "an access token is needed: send Authorization: Bearer with every request";
    return this.denial("TOKEN_MISSING", text, Code.Unauthenticated, 401, `Bearer ${this.metadata}${scope}`);
  }

  invalid(): Refusal {
    const text = "the access token is unknown, expired or revoked, or for another server";
    const value = `Bearer error="invalid_token", error_description="${text}", ${this.metadata}`;
    return { ...this.denial("TOKEN_INVALID", text, Code.Unauthenticated, 401, value), outcome: "invalid" };
  }

  malformed(text: string): Denial {
    const value = `Bearer error="invalid_request", error_description="${text}", ${this.metadata}`;
    return this.denial("TOKEN_MALFORMED", text, Code.InvalidArgument, 400, value);
  }

  insufficient(method: DescMethod, need: ScopeNeed): Refusal {
    const scopes = scopesText(need);
    const which =
      need.scopes.length === 1 ? "the scope" : need.kind === "one" ? "one of the scopes" : "the scopes";
    const text = `${methodName(method)} needs ${which} ${need.scopes.join(", ")}`;
    const value = `Bearer error="insufficient_scope", scope="${scopes}", error_description="${text}", ${this.metadata}`;
    return { ...this.denial("SCOPE_MISSING", text, Code.PermissionDenied, 403, value), outcome: "scope" };
  }

  private denial(
    reason: Parameters<typeof gatewayError>[0],
    text: string,
    code: Code,
    status: number,
    challenge: string,
  ): Denial {
    return { error: gatewayError(reason, text, code), status, headers: { "www-authenticate": challenge } };
  }
}

/** What a client should ask for: of several that would do, the first of the configuration. */
function scopesText({ kind, scopes }: ScopeNeed): string {
  return kind === "one" ? (scopes[0] ?? "") : scopes.join(" ");
}

function personRequired(method: DescMethod): Refusal {
  const text = `${methodName(method)} needs a person who has signed in; this token is the client's own`;
  const error = gatewayError("PERSON_REQUIRED", text, Code.PermissionDenied);
  return { error, status: 403, headers: {}, outcome: "person" };
}

function unavailable(): Denial {
  const text = "tokens cannot be checked at the moment; try again";
  return {
    error: gatewayError("STORE_UNAVAILABLE", text, Code.Unavailable),
    status: 503,
    headers: { "retry-after": "1" },
  };
}
