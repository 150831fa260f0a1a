import { hashOf } from "connect-rest-runtime/internal";
import { z } from "zod";
import type { Flow } from "../interaction.ts";
import { type KeyRing, type SealedPlace, UnsealFailed } from "../store/sealed.ts";
import type { Entry, Store } from "../store/store.ts";
import { readTokens, type UpstreamTokens, writeTokens } from "./tokens.ts";

/** A person's account at an upstream, with its tokens. */
export interface SignedIn {
  readonly account: string;
  readonly tokens: UpstreamTokens;
}

/** A person who was redirected to an upstream. */
export interface Away {
  readonly provider: string;
  readonly state: string;
  readonly pending: Readonly<Record<string, string>>;
}

/** The progress of the sign-in of a flow. */
export interface FlowState {
  readonly signedIn: ReadonlyMap<string, SignedIn>;
  /** The upstreams that the person has declined. */
  readonly declined: readonly string[];
  readonly away?: Away | undefined;
  /** The last problem, and the upstream that caused it. */
  readonly problem?: { readonly provider: string; readonly failure: string } | undefined;
}

const KIND = "sign-in";

const stateSchema = z.object({
  signedIn: z.array(z.object({ provider: z.string(), account: z.string(), tokens: z.string() })),
  declined: z.array(z.string()),
  away: z
    .object({ provider: z.string(), state: z.string(), pending: z.record(z.string(), z.string()) })
    .optional(),
  problem: z.object({ provider: z.string(), failure: z.string() }).optional(),
});

const NOTHING: FlowState = { signedIn: new Map(), declined: [] };

/** Stores the states of flows, each encrypted (sealed), under the hashes of the flow IDs. */
export class FlowRows {
  private readonly store: Store;
  private readonly ring: KeyRing;

  constructor(store: Store, ring: KeyRing) {
    this.store = store;
    this.ring = ring;
  }

  async load(flow: Flow): Promise<FlowState> {
    return this.stateOf(flow, await this.store.get(KIND, hashOf(flow.id)));
  }

  /**
   * Replaces the state of a flow with the result of `change`, atomically.
   *
   * @returns the previous state
   */
  async update(flow: Flow, change: (state: FlowState) => FlowState): Promise<FlowState> {
    let before: FlowState = NOTHING;
    await this.store.update(KIND, hashOf(flow.id), (entry) => {
      before = this.stateOf(flow, entry);
      const after = change(before);
      return after === before ? entry : this.entryOf(flow, after);
    });
    return before;
  }

  /** Ends a flow. If several callers end it concurrently, only one of them gets the state. */
  async take(flow: Flow): Promise<FlowState | undefined> {
    const entry = await this.store.take(KIND, hashOf(flow.id));
    return entry && this.stateOf(flow, entry);
  }

  private stateOf(flow: Flow, entry: Entry | undefined): FlowState {
    if (entry === undefined) return NOTHING;
    const state = stateSchema.parse(JSON.parse(this.opened(flow, entry)));
    const signedIn = state.signedIn.map(
      ({ provider, account, tokens }) => [provider, { account, tokens: readTokens(tokens) }] as const,
    );
    return { ...state, signedIn: new Map(signedIn) };
  }

  /**
   * Decrypts a stored state. Returns an empty state if decryption fails, so that the sign-in begins again.
   */
  private opened(flow: Flow, { value }: Entry): string {
    try {
      return this.ring.open(value, placeOf(flow));
    } catch (error) {
      if (!(error instanceof UnsealFailed)) throw error;
      return JSON.stringify({ signedIn: [], declined: [] });
    }
  }

  private entryOf(flow: Flow, { signedIn, ...rest }: FlowState): Entry {
    const list = [...signedIn].map(([provider, { account, tokens }]) => {
      return { provider, account, tokens: writeTokens(tokens) };
    });
    const value = this.ring.seal(JSON.stringify({ ...rest, signedIn: list }), placeOf(flow));
    return { value, expiresAt: flow.expiresAt };
  }
}

function placeOf(flow: Flow): SealedPlace {
  return { kind: KIND, key: hashOf(flow.id), subject: flow.client.id };
}
