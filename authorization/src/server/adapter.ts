import { hashOf } from "connect-rest-runtime/internal";
import { type Adapter, type AdapterFactory, type AdapterPayload, errors } from "oidc-provider";
import { isNear } from "../recent.ts";
import type { Entry } from "../store/store.ts";
import { StoreError } from "../store/store-error.ts";
import { GRANT_KIND, type Grants, TOKEN_KIND } from "./grants.ts";
import { currentWork } from "./work.ts";

export interface AdapterOptions {
  readonly grants: Grants;
  /** How long a self-registered client is kept after a grant, in milliseconds. */
  readonly clientMs: number;
  readonly now: () => number;
  /** Called when a used code or refresh token is presented again. */
  readonly onReuse: (kind: string, clientId: string) => void;
}

/**
 * The time after the first use of a refresh token during which the token yields a second successor, in
 * milliseconds. A client that lost the response needs the second successor.
 */
export const GRACE_MS = 10_000;

/** The maximum number of uses of a refresh token: one for its successor, one for a second successor. */
const MAX_USES = 2;

/** How long a client without a grant is kept, in milliseconds. */
const UNUSED_CLIENT_MS = 24 * 60 * 60 * 1000;

const CLIENT_KIND = "Client";
const FLOW_KIND = "Interaction";

/** The form of client IDs, including configured ones. Other strings are not looked up. */
const CLIENT_ID_PATTERN = /^[\w.~-]{1,128}$/;

/**
 * Replaces the ID of a row inside its value. The key of the row is the hash of the ID, and the value must not
 * contain the secret itself.
 */
const ID_MARK = "\u0000id\u0000";

/** The content of a row. */
interface Stored {
  readonly payload: AdapterPayload;
  /** The time of the first use, in milliseconds since the epoch. */
  readonly usedAt?: number;
  /** The number of uses. Undefined means one use. */
  readonly uses?: number;
  /** The browser to which a flow is bound. */
  readonly browser?: string | undefined;
}

/** Stores the engine's models, as part of the running exchange. */
export function createAdapter(options: AdapterOptions): AdapterFactory {
  return (model) => {
    // sign-in manages the browser sessions; the engine needs a session only during a response
    return model === "Session" ? NO_SESSIONS : new StoreAdapter(model, options);
  };
}

const NO_SESSIONS: Adapter = {
  upsert: () => Promise.resolve(),
  find: () => Promise.resolve(),
  findByUid: () => Promise.resolve(),
  findByUserCode: () => Promise.resolve(),
  consume: () => Promise.resolve(),
  destroy: () => Promise.resolve(),
  revokeByGrantId: () => Promise.resolve(),
};

class StoreAdapter implements Adapter {
  private readonly model: string;
  private readonly kind: string;
  private readonly options: AdapterOptions;

  constructor(model: string, options: AdapterOptions) {
    this.model = model;
    // people's tokens and clients' tokens have the same kind, so that a bearer token needs only one lookup
    this.kind = model === "ClientCredentials" ? TOKEN_KIND : model;
    this.options = options;
  }

  async upsert(id: string, payload: AdapterPayload, expiresIn?: number): Promise<void> {
    const work = currentWork();
    const now = this.options.now();
    const grant = this.model === GRANT_KIND ? id : payload.grantId;
    const session =
      this.model === GRANT_KIND ? (work.context.session ?? (await this.entry(id))?.session) : undefined;
    const expiresAt = this.model === CLIENT_KIND ? now + UNUSED_CLIENT_MS : expiryOf(now, expiresIn);
    const stored = this.model === CLIENT_KIND ? withHashedSecret(payload) : payload;
    const browser = this.model === FLOW_KIND ? work.context.browser : undefined;
    const expected = this.model === "ReplayDetection" ? "none" : undefined;
    work.put(
      this.kind,
      this.keyOf(id),
      { value: this.textOf(id, { payload: stored, browser }), expiresAt, grant, session },
      expected,
    );
    if (grant !== undefined && this.model !== GRANT_KIND) work.require(GRANT_KIND, grant);
    const { clientId } = payload;
    if (clientId !== undefined && this.model !== "AuthorizationCode") await this.keepClient(clientId);
  }

  async find(id: string): Promise<AdapterPayload | undefined> {
    const entry = await this.entry(id);
    if (entry === undefined) return undefined;
    const { payload, usedAt, browser } = this.parse(id, entry);
    if (this.model === FLOW_KIND && browser !== currentWork().context.browser) return undefined;
    if (usedAt === undefined || this.isInGrace(usedAt)) return payload;
    this.options.onReuse(this.model, payload.clientId ?? "");
    return { ...payload, consumed: Math.floor(usedAt / 1000) };
  }

  async consume(id: string): Promise<void> {
    const entry = await this.entry(id);
    if (entry === undefined) return;
    const stored = this.parse(id, entry);
    const { usedAt = this.options.now(), uses = stored.usedAt === undefined ? 0 : 1 } = stored;
    if (uses === MAX_USES) throw new errors.InvalidGrant("refresh token already used twice");
    // the grace period begins with the first use, so later uses do not extend it
    const value = this.textOf(id, { ...stored, usedAt, uses: uses + 1 });
    currentWork().put(this.kind, this.keyOf(id), { ...entry, value }, { value: entry.value });
  }

  destroy(id: string): Promise<void> {
    if (this.model === GRANT_KIND) return orUnavailable(this.options.grants.revoke(id));
    currentWork().put(this.kind, this.keyOf(id), undefined);
    return Promise.resolve();
  }

  async revokeByGrantId(grantId: string): Promise<void> {
    // the engine revokes each kind separately, but the store revokes all kinds together
    if (this.model === TOKEN_KIND) await orUnavailable(this.options.grants.revoke(grantId));
  }

  findByUid(): Promise<undefined> {
    return Promise.resolve(undefined);
  }

  findByUserCode(): Promise<undefined> {
    return Promise.resolve(undefined);
  }

  private isInGrace(usedAt: number): boolean {
    return this.model === "RefreshToken" && isNear(usedAt, this.options.now(), GRACE_MS);
  }

  private entry(id: string): Promise<Entry | undefined> {
    if (this.model === CLIENT_KIND && !CLIENT_ID_PATTERN.test(id)) return Promise.resolve(undefined);
    return orUnavailable(currentWork().get(this.kind, this.keyOf(id)));
  }

  /** Extends the life of clients that are in use, and deletes all other clients. */
  private async keepClient(clientId: string): Promise<void> {
    const entry = await orUnavailable(currentWork().get(CLIENT_KIND, clientId));
    if (entry?.expiresAt === undefined) return;
    const { clientMs, now } = this.options;
    if (entry.expiresAt > now() + clientMs / 2) return;
    currentWork().put(CLIENT_KIND, clientId, { ...entry, expiresAt: now() + clientMs });
  }

  private get isSecret(): boolean {
    return this.model !== CLIENT_KIND && this.model !== GRANT_KIND;
  }

  private keyOf(id: string): string {
    return this.isSecret ? hashOf(id) : id;
  }

  private textOf(id: string, stored: Stored): string {
    const text = JSON.stringify(stored);
    return this.isSecret ? text.replaceAll(id, JSON.stringify(ID_MARK).slice(1, -1)) : text;
  }

  private parse(id: string, { value }: Entry): Stored {
    return JSON.parse(value, (_key, each: unknown) => {
      return typeof each === "string" ? each.replaceAll(ID_MARK, id) : each;
    });
  }
}

/** The engine error for a failed store: nothing is lost, and the client may try again. */
class StoreUnavailable extends errors.TemporarilyUnavailable {
  override readonly status = 503;
  override readonly statusCode = 503;
  override readonly expose = true;
}

/** Converts store failures to an error that the engine passes on. */
export async function orUnavailable<T>(work: Promise<T>): Promise<T> {
  try {
    return await work;
  } catch (error) {
    if (!(error instanceof StoreError)) throw error;
    const unavailable = new StoreUnavailable("the store of the server is not available; try again");
    unavailable.cause = error;
    throw unavailable;
  }
}

function expiryOf(now: number, expiresIn: number | undefined): number | undefined {
  return expiresIn === undefined ? undefined : now + expiresIn * 1000;
}

function withHashedSecret(payload: AdapterPayload): AdapterPayload {
  const { client_secret: secret } = payload;
  return typeof secret === "string" ? { ...payload, client_secret: hashOf(secret) } : payload;
}
