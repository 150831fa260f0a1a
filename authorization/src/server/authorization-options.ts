import type { ClientMetadata } from "oidc-provider";
import type { AuthorizationHost } from "../host.ts";
import type { Interactions } from "../interaction.ts";
import type { Store } from "../store/store.ts";
import type { Grants } from "./grants.ts";
import type { OwnClient } from "./own-client.ts";
import type { Lifetimes } from "./provider.ts";
import type { RegistrationPolicy } from "./registration.ts";

/** The name of an endpoint in logs and metrics. */
export type EndpointName = "metadata" | "authorize" | "token" | "register" | "revoke" | "sign-in";

/** The options of an authorization server. */
export interface AuthorizationServerOptions extends Omit<AuthorizationHost, "error"> {
  readonly publicUrl: string;
  /** The path of the endpoint that serves tools; undefined without such an endpoint. */
  readonly toolsPath?: string | undefined;
  readonly store: Store;
  readonly grants: Grants;
  /** All scopes that tokens may have. The list has at least one scope. */
  readonly scopes: readonly string[];
  /** The configured clients, with hashed secrets, and the gateway's own client. */
  readonly clients: readonly ClientMetadata[];
  readonly ownClient: OwnClient | undefined;
  /** The registration settings; undefined if clients may not register themselves. */
  readonly registration:
    | (RegistrationPolicy & { readonly initialAccessToken: string | undefined })
    | undefined;
  readonly lifetimes: Lifetimes & { readonly clientSeconds: number };
  /** Signs people in; undefined if people cannot sign in, and clients act only for themselves. */
  readonly interactions: Interactions | undefined;
  /** Reports whether the session to which a grant is bound is alive. */
  readonly isAlive: (sessionId: string) => Promise<boolean>;
  readonly now: () => number;
  /** Called with each token that a client has revoked. */
  readonly onRevoked: (token: string) => void;
  readonly onError: (error: unknown) => void;
}
