import { AsyncLocalStorage } from "node:async_hooks";
import type { DescMethod } from "@bufbuild/protobuf";
import { Code, type ConnectError } from "@connectrpc/connect";
import type { Credentials, CredentialsFunction } from "connect-rest-runtime";
import type { CredentialKind, FixedCredentials } from "connect-rest-runtime/internal";
import { fullName } from "connect-rest-runtime/internal";
import { currentSubject } from "../call/call.ts";
import { gatewayError } from "../call/gateway-error.ts";
import { has, type WantedKinds } from "./pass-through.ts";

export interface SessionCredentialsOptions {
  readonly upstream: string;
  /**
   * The gateway's own credentials, for callers without a session and for methods that do not accept a
   * person's credentials.
   */
  readonly fixed: FixedCredentials;
  readonly wantedKinds: WantedKinds;
  /** Returns a session's credentials for the upstream. */
  readonly credentials: (sessionId: string) => Promise<Credentials>;
}

const STORAGE = new AsyncLocalStorage<Credentials>();

/** Runs a call with the given credentials in place of the caller's credentials. */
export function withCredentials<T>(credentials: Credentials, work: () => Promise<T>): Promise<T> {
  return STORAGE.run(credentials, work);
}

/**
 * Returns a credentials function that uses the caller's session at an upstream. If the method accepts a
 * person's credentials, the function returns the credentials from the session. For other methods, and for
 * applications that act for themselves, it returns the gateway's own credentials.
 */
export function sessionCredentials(options: SessionCredentialsOptions): CredentialsFunction {
  const { upstream, fixed, wantedKinds, credentials } = options;
  return async ({ method }) => {
    const wanted = wantedKinds(method);
    const given = STORAGE.getStore();
    if (given !== undefined) return given;
    const current = currentSubject();
    if (!wanted.some(isOfPerson)) return fixed;
    if (current?.sessionId === undefined) {
      if (wanted.some((kind) => has(fixed, kind))) return fixed;
      throw personRequired(method, upstream);
    }
    const own = ownedBy(current.sessionId, await credentials(current.sessionId));
    // the method may not accept the kind of the person's token
    return wanted.some((kind) => has(own, kind)) ? own : { ...fixed, ...own };
  };
}

/**
 * Sets the owner of credentials. Rate limits and watched feeds belong to the owner, which does not change
 * when the access token is refreshed.
 */
function ownedBy(owner: string, { oauth2, ...others }: Credentials): Credentials {
  return {
    ...others,
    owner,
    ...(oauth2 === undefined ? {} : { oauth2: { ...oauth2, identity: owner } }),
  };
}

function isOfPerson(kind: CredentialKind): boolean {
  return kind === "oauth2" || kind === "oauth1";
}

function personRequired(method: DescMethod, upstream: string): ConnectError {
  const text = `${fullName(method)} acts for a person at the upstream ${upstream}, and the token of the call is that of an application`;
  return gatewayError("PERSON_REQUIRED", text, Code.PermissionDenied);
}
