import type { ClientMetadata } from "oidc-provider";
import type { AuthorizationHost, AuthorizationLimits } from "../host.ts";
import type { Interactions } from "../interaction.ts";
import type { Store } from "../store/store.ts";
import type { Grants } from "./grants.ts";
import type { Lifetimes } from "./provider.ts";
import type { RegistrationPolicy } from "./registration.ts";

/** What happened at an endpoint, for logs and metrics. Never a secret. */
export interface AuthorizationEvent {
  readonly endpoint: EndpointName;
  /** `ok`, the error of the response, or `other` for one that is in no specification. */
  readonly outcome: string;
  /** The address of whoever has sent the request. */
  readonly client: string;
}

/** An endpoint, or what belongs to one, as logs and metrics name it. */
export type EndpointName = "metadata" | "authorize" | "token" | "register" | "revoke" | "sign-in";

/** What an authorization server stands on, and whom it notifies. */
export interface AuthorizationServerOptions {
  readonly publicUrl: string;
  readonly store: Store;
  readonly grants: Grants;
  /** All scopes that tokens may have; at least one. */
  readonly scopes: readonly string[];
  /** Clients of the configuration, their secrets hashed. */
  readonly clients: readonly ClientMetadata[];
  /** Undefined where no client may register itself. */
  readonly registration:
    | (RegistrationPolicy & { readonly initialAccessToken: string | undefined })
    | undefined;
  readonly lifetimes: Lifetimes & { readonly clientSeconds: number };
  /** Signs people in; undefined where there are none, and clients act for themselves alone. */
  readonly interactions: Interactions | undefined;
  /** Whether the session that a grant is bound to still stands. */
  readonly isAlive: (sessionId: string) => Promise<boolean>;
  readonly limits: AuthorizationLimits;
  readonly now: () => number;
  readonly onEvent: (event: AuthorizationEvent) => void;
  /**
   * Notified of each request for a token that is a form: its grant type as the client wrote it,
   * and `ok` or the error.
   */
  readonly onGrant: (grant: string, outcome: string) => void;
  /** Notified of a token that its client has revoked, if it was one. */
  readonly onRevoked: (token: string) => void;
  /** Notified when a code or a refresh token comes back that has been used: its grant is revoked. */
  readonly onReuse: (kind: string, clientId: string) => void;
  readonly onLimit: AuthorizationHost["onLimit"];
  readonly onError: (error: unknown) => void;
}
