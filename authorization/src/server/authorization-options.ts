import type { ClientMetadata } from "oidc-provider";
import type { AuthorizationHost } from "../host.ts";
import type { Interactions } from "../interaction.ts";
import type { Store } from "../store/store.ts";
import type { Grants } from "./grants.ts";
import type { Lifetimes } from "./provider.ts";
import type { RegistrationPolicy } from "./registration.ts";

/** An endpoint, or what belongs to one, as logs and metrics name it. */
export type EndpointName = "metadata" | "authorize" | "token" | "register" | "revoke" | "sign-in";

/** What an authorization server needs. */
export interface AuthorizationServerOptions extends Omit<AuthorizationHost, "error"> {
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
  readonly now: () => number;
  /** Notified of a token that its client has revoked, if it was one. */
  readonly onRevoked: (token: string) => void;
  readonly onError: (error: unknown) => void;
}
