import type { DescMethod } from "@bufbuild/protobuf";
import { Code, type ConnectError } from "@connectrpc/connect";
import { fullName } from "connect-rest-runtime/internal";
import type { AuthorizationReason, HttpRequest, MakeError } from "../host.ts";
import { RESOURCE_METADATA_PATH } from "../server/metadata.ts";
import type { StoredToken } from "../server/stored-token.ts";
import { type BearerProblem, readBearer } from "./bearer.ts";
import { hasScopes, type ScopeMap, type ScopeNeed } from "./scope-map.ts";
import type { TokenEnd, Tokens } from "./tokens.ts";

/** The rejection of a request (RFC 6750 section 3). */
export interface AccessRejection {
  readonly error: ConnectError;
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
}

/** The outcome of a token check, for metrics. */
export type TokenOutcome = "ok" | "missing" | "malformed" | "invalid" | "scope" | "person" | "unavailable";

export interface ResourceServerOptions {
  readonly publicUrl: string;
  /** The path of the endpoint that serves tools; undefined without such an endpoint. */
  readonly toolsPath: string | undefined;
  readonly tokens: Tokens;
  readonly scopes: ScopeMap;
  /** Reports whether a method may be called without a token. */
  readonly isOpen: (method: DescMethod) => boolean;
  /** Reports whether the upstream accepts only a person's credentials for this method. */
  readonly needsPerson: (method: DescMethod) => boolean;
  readonly error: MakeError;
  readonly onChecked: (outcome: TokenOutcome) => void;
  /** Called for failures of the store. */
  readonly onError: (error: unknown) => void;
}

/** The content of a valid access token. */
export interface Subject {
  readonly clientId: string;
  /** The person for whom the client calls; undefined if the client calls for itself. */
  readonly person?: string | undefined;
  /** The person's upstream session. */
  readonly sessionId?: string | undefined;
  readonly scopes: ReadonlySet<string>;
}

/**
 * Finds the callers whose tokens have ended since the last check, with the error for their running calls.
 * Never rejects.
 */
export type EndedTokens = (subjects: readonly Subject[]) => Promise<ReadonlyMap<Subject, EndedToken>>;

export interface EndedToken {
  readonly why: TokenEnd;
  readonly error: () => ConnectError;
}

/** Checks tokens when a call begins, and while it runs. */
export interface ResourceServer {
  readonly authenticate: Authenticate;
  readonly authorize: Authorize;
  readonly ended: EndedTokens;
  /** The checks of the endpoint that serves tools; undefined without such an endpoint. */
  readonly tools: ToolAuthorization | undefined;
  /**
   * The challenge for a caller whose token is valid, but belongs to a person whom the upstream does not know.
   */
  readonly challenge: string;
}

/**
 * Authenticates a request by its token. Returns the content of the token, or the rejection; undefined if the
 * method is open. Returns a promise only if the token must be looked up; the promise does not reject.
 *
 * @param method undefined for a path that names no method, for which only authenticated callers get NOT_FOUND
 */
export type Authenticate = (request: HttpRequest, method: DescMethod | undefined) => Found | Promise<Found>;

/**
 * Checks whether a subject may call a method, without checking a token. Used for calls that a method makes on
 * behalf of its caller.
 *
 * @param subject undefined if the caller sent no token
 * @returns the rejection; undefined if the call is allowed
 */
export type Authorize = (subject: Subject | undefined, method: DescMethod) => AccessRejection | undefined;

/**
 * Checks the requests of an endpoint that serves methods as tools. The endpoint is a separate resource: it
 * accepts tokens for itself and for the gateway, and a token for it is not valid for the gateway.
 */
export interface ToolAuthorization {
  readonly authenticate: (request: HttpRequest) => Found | Promise<Found>;
  /** Checks the scopes of a method. */
  readonly authorize: (subject: Subject, method: DescMethod) => AccessRejection | undefined;
}

type Found = Subject | AccessRejection | undefined;

const TEXTS: Readonly<Record<Exclude<BearerProblem, "missing">, string>> = {
  malformed: "the Authorization header must be Bearer and a token, nothing else",
  twice: "there must be one Authorization header",
  "in the query": "the token must be in the Authorization header, not in the query of the address",
};

/** Creates the token check for the methods of the gateway. */
export function createResourceServer(options: ResourceServerOptions): ResourceServer {
  const { publicUrl, toolsPath, tokens, isOpen, onChecked, onError } = options;
  const challenges = new Challenges(options, "");
  const check = (
    request: HttpRequest,
    method: DescMethod | undefined,
    challenges: Challenges,
    audiences: readonly string[],
  ): Found | Promise<Found> => {
    const settle = (stored: StoredToken | undefined, method: DescMethod | undefined) => {
      const token = stored !== undefined && audiences.includes(stored.audience) ? stored : undefined;
      const rejection = token === undefined ? challenges.invalid() : challenges.rejectionOf(token, method);
      onChecked(rejection?.outcome ?? "ok");
      return rejection ?? (token && subjectOf(token));
    };
    const bearer = readBearer(request);
    if (typeof bearer === "string") {
      onChecked(bearer === "missing" ? "missing" : "malformed");
      return bearer === "missing" ? challenges.missing(method) : challenges.malformed(TEXTS[bearer]);
    }
    const found = tokens.find(bearer.token);
    if (!(found instanceof Promise)) return settle(found, method);
    return found.then(
      (token) => settle(token, method),
      (error: unknown) => {
        onError(error);
        onChecked("unavailable");
        return challenges.unavailable();
      },
    );
  };
  const authorizeBy = (challenges: Challenges, { scopes, person }: Subject, method: DescMethod) => {
    const rejection = challenges.rejectionOf({ scopes, subject: person }, method);
    if (rejection !== undefined) onChecked(rejection.outcome);
    return rejection;
  };
  const own = [publicUrl];
  const toolsOf = (path: string): ToolAuthorization => {
    const ofTools = new Challenges(options, path);
    const audiences = [publicUrl, publicUrl + path];
    return {
      authenticate: (request) => check(request, undefined, ofTools, audiences),
      authorize: (subject, method) => authorizeBy(ofTools, subject, method),
    };
  };
  let isFailing = false;
  return {
    authenticate: (request, method) =>
      method !== undefined && isOpen(method) ? undefined : check(request, method, challenges, own),
    authorize: (subject, method) => {
      if (isOpen(method)) return undefined;
      return subject === undefined ? challenges.missing(method) : authorizeBy(challenges, subject, method);
    },
    tools: toolsPath === undefined ? undefined : toolsOf(toolsPath),
    challenge: challenges.invalidToken("the upstream does not know the caller any more; sign in again"),
    ended: async (subjects) => {
      let failure: unknown;
      const asked = subjects.flatMap((subject) => TOKENS.get(subject) ?? []);
      const ends = await tokens.ended(asked, (error) => {
        failure = error;
      });
      // report only the first of consecutive failures: otherwise every call that fails for the same cause
      // would report it
      if (failure !== undefined && !isFailing) onError(failure);
      isFailing = failure !== undefined;
      const found = [...ends].map(([token, why]) => {
        return [subjectOf(token), { why, error: () => challenges.ended(why) }] as const;
      });
      return new Map(found);
    },
  };
}

const SUBJECTS = new WeakMap<StoredToken, Subject>();
const TOKENS = new WeakMap<Subject, StoredToken>();

/** Returns the same subject for all calls with the same cached token. */
function subjectOf(token: StoredToken): Subject {
  const known = SUBJECTS.get(token);
  if (known !== undefined) return known;
  const { clientId, subject: person, sessionId, scopes } = token;
  const subject = { clientId, person, sessionId, scopes };
  SUBJECTS.set(token, subject);
  TOKENS.set(subject, token);
  return subject;
}

/** The header that tells a client how to authenticate (RFC 9110 section 11.6.1). */
const CHALLENGE = "www-authenticate";

type TokenRejection = AccessRejection & { readonly outcome: TokenOutcome };

/** The rejections, with their `WWW-Authenticate` values (RFC 6750 section 3, RFC 9728 section 5.1). */
class Challenges {
  private readonly options: ResourceServerOptions;
  private readonly metadata: string;

  /** @param path the path of the resource; empty for the gateway itself */
  constructor(options: ResourceServerOptions, path: string) {
    this.options = options;
    this.metadata = `resource_metadata="${options.publicUrl}${RESOURCE_METADATA_PATH}${path}"`;
  }

  /** Returns the reason why a valid token is not sufficient for a method; undefined if it is sufficient. */
  rejectionOf(
    { scopes, subject }: Pick<StoredToken, "scopes" | "subject">,
    method: DescMethod | undefined,
  ): TokenRejection | undefined {
    if (method === undefined) return undefined;
    const need = this.options.scopes.needOf(method);
    if (need !== undefined && !hasScopes(need, scopes)) return this.insufficient(method, need);
    return subject === undefined && this.options.needsPerson(method)
      ? this.personRequired(method)
      : undefined;
  }

  missing(method: DescMethod | undefined): AccessRejection {
    const need = method && this.options.scopes.needOf(method);
    const scope = need === undefined ? "" : `, scope="${scopesText(need)}"`;
    const text = "an access token is needed: send Authorization: Bearer with every request";
    return this.rejection(
      "TOKEN_MISSING",
      text,
      Code.Unauthenticated,
      401,
      `Bearer ${this.metadata}${scope}`,
    );
  }

  invalid(): TokenRejection {
    const text = "the access token is unknown, expired or revoked, or for another server";
    const value = this.invalidToken(text);
    return { ...this.rejection("TOKEN_INVALID", text, Code.Unauthenticated, 401, value), outcome: "invalid" };
  }

  /** Returns the error of a stream whose token ended before the stream did. */
  ended(why: TokenEnd): ConnectError {
    const text =
      why === "expired"
        ? "the access token of this stream has expired; call again with a new one"
        : "the access token of this stream was revoked; sign in again";
    const error = this.options.error("TOKEN_INVALID", text, Code.Unauthenticated);
    error.metadata.set(CHALLENGE, this.invalidToken(text));
    return error;
  }

  invalidToken(text: string): string {
    return `Bearer error="invalid_token", error_description="${text}", ${this.metadata}`;
  }

  malformed(text: string): AccessRejection {
    const value = `Bearer error="invalid_request", error_description="${text}", ${this.metadata}`;
    return this.rejection("TOKEN_MALFORMED", text, Code.InvalidArgument, 400, value);
  }

  private insufficient(method: DescMethod, need: ScopeNeed): TokenRejection {
    const scopes = scopesText(need);
    const which =
      need.scopes.length === 1 ? "the scope" : need.kind === "one" ? "one of the scopes" : "the scopes";
    const text = `${fullName(method)} needs ${which} ${need.scopes.join(", ")}`;
    const value = `Bearer error="insufficient_scope", scope="${scopes}", error_description="${text}", ${this.metadata}`;
    return { ...this.rejection("SCOPE_MISSING", text, Code.PermissionDenied, 403, value), outcome: "scope" };
  }

  unavailable(): AccessRejection {
    const text = "tokens cannot be checked at the moment; try again";
    return {
      error: this.options.error("STORE_UNAVAILABLE", text, Code.Unavailable),
      status: 503,
      headers: { "retry-after": "1" },
    };
  }

  private personRequired(method: DescMethod): TokenRejection {
    const text = `${fullName(method)} needs a person who has signed in; this token is the client's own`;
    const error = this.options.error("PERSON_REQUIRED", text, Code.PermissionDenied);
    return { error, status: 403, headers: {}, outcome: "person" };
  }

  private rejection(
    reason: AuthorizationReason,
    text: string,
    code: Code,
    status: number,
    challenge: string,
  ): AccessRejection {
    const error = this.options.error(reason, text, code);
    return { error, status, headers: { [CHALLENGE]: challenge } };
  }
}

/**
 * Returns the scopes that a client should request. If any of several scopes suffices, returns the one that
 * the configuration lists first.
 */
function scopesText({ kind, scopes }: ScopeNeed): string {
  return kind === "one" ? (scopes[0] ?? "") : scopes.join(" ");
}
