import { ConnectError } from "@connectrpc/connect";
import type { CredentialKind } from "../adapter/rules.ts";
import { chooseKind } from "../credentials/authorize.ts";
import type {
  Credentials,
  CredentialsContext,
  CredentialsFunction,
  CredentialsSource,
  FixedCredentials,
} from "../credentials/credentials.ts";
import type { Identities } from "../credentials/identity.ts";
import type { OAuth2Grant } from "../credentials/oauth2-grant.ts";
import type { TokenSources } from "../credentials/token-sources.ts";
import { restError } from "../errors/rest-error.ts";
import type { Secret } from "../text/secret.ts";
import { raced } from "../time/abort.ts";
import type { UpstreamCall, UpstreamIdentity } from "./upstream.ts";

/** The properties of a call on which its credentials depend. */
export type CredentialsCall = Pick<
  UpstreamCall,
  "method" | "rules" | "header" | "signal" | "credentials" | "provided"
>;

/** The dependencies of `CallCredentials`. */
interface Parts {
  readonly upstream: string;
  readonly configured: CredentialsSource;
  readonly tokens: TokenSources;
  readonly identities: Identities;
  readonly closing: AbortSignal;
}

/**
 * The credentials for calls to an upstream. They are configured or provided by a function, and may include
 * fetched tokens.
 */
export class CallCredentials {
  private readonly parts: Parts;

  constructor(parts: Parts) {
    this.parts = parts;
  }

  /**
   * The credentials, if they are the same for all calls and never refreshed. Undefined if a function provides
   * them or if they are fetched.
   */
  get fixed(): Credentials | undefined {
    const { configured } = this.parts;
    return typeof configured === "function" || isGrant(configured.oauth2)
      ? undefined
      : (configured as Credentials);
  }

  /** Whether the credentials are configured, and not provided for each caller. */
  get areConfigured(): boolean {
    return typeof this.parts.configured !== "function";
  }

  /** Whether rejected credentials can be replaced. */
  get mayBeRefreshed(): boolean {
    return typeof this.parts.configured === "function" || isGrant(this.parts.configured.oauth2);
  }

  /**
   * Returns the credentials of a call, or a promise if they have to be fetched.
   *
   * @throws ConnectError, or the errors of the function that provides the credentials
   */
  of(call: CredentialsCall): Credentials | Promise<Credentials> {
    const { method, header, signal } = call;
    const { configured } = this.parts;
    const given = call.credentials ?? call.provided;
    if (given !== undefined) return given;
    if (typeof configured !== "function") return this.resolved(call, configured);
    const provided = raced(this.provided(configured, { method, header: header() }), signal);
    return provided.then((given) => this.resolved(call, given));
  }

  /** Returns the identity whose credentials a call would send; see `Upstream`. */
  async identity(call: CredentialsCall): Promise<UpstreamIdentity> {
    const { configured } = this.parts;
    const isConfigured = typeof configured !== "function";
    // the identity does not depend on a token, so no token is fetched
    const credentials = isConfigured ? (configured as Credentials) : await this.of(call);
    const kind = chooseKind(call, credentials);
    const provided = isConfigured ? undefined : credentials;
    if (kind === "none") return { name: "none", isPublic: true, provided };
    if (isConfigured) return { name: `configured ${kind}`, isPublic: false };
    const { owner } = credentials;
    const name =
      owner === undefined ? `caller ${this.parts.identities.proven(kind, credentials)}` : `owner ${owner}`;
    return { name: `${name} ${kind}`, isPublic: false, provided };
  }

  /** Returns a hash that distinguishes credentials of this kind without revealing them. */
  hash(kind: CredentialKind, credentials: Credentials): string {
    return this.parts.identities.of(kind, credentials);
  }

  /** Adds a fetched token to the credentials, if the method accepts tokens. */
  private resolved(call: CredentialsCall, given: FixedCredentials): Credentials | Promise<Credentials> {
    const { oauth2 } = given;
    if (!isGrant(oauth2)) return given as Credentials;
    const { apiKey, oauth1, basic, owner } = given;
    const others = { apiKey, oauth1, basic, owner };
    const kind = chooseKind(call, { ...others, oauth2: { accessToken: "" } });
    return kind === "oauth2" ? raced(this.withToken(oauth2, others), call.signal) : others;
  }

  private async withToken(grant: OAuth2Grant, others: Credentials): Promise<Credentials> {
    this.parts.closing.throwIfAborted();
    const { source, identity } = this.parts.tokens(grant);
    const withOther = async (rejected: Secret): Promise<Credentials> => {
      const another = await source.another(rejected);
      if (another === undefined) throw source.rejectedError();
      const { token, isNew } = another;
      const own = { ...others, oauth2: { accessToken: token, identity } };
      // if a new token is also rejected, the configuration is wrong
      return isNew ? own : { ...own, rejected: () => withOther(token) };
    };
    const accessToken = await source.get();
    return { ...others, oauth2: { accessToken, identity }, rejected: () => withOther(accessToken) };
  }

  private async provided(
    provide: CredentialsFunction,
    context: CredentialsContext,
  ): Promise<FixedCredentials> {
    try {
      return (await provide(context)) ?? {};
    } catch (cause) {
      if (cause instanceof ConnectError) throw cause;
      throw restError("UPSTREAM_CREDENTIALS_FAILED", { upstream: this.parts.upstream }, { cause });
    }
  }
}

function isGrant(oauth2: FixedCredentials["oauth2"]): oauth2 is OAuth2Grant {
  return oauth2 !== undefined && !("accessToken" in oauth2);
}
