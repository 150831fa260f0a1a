import { randomBytes } from "node:crypto";
import {
  type AuthorizationLog,
  type HttpExchange,
  type HttpRequest,
  redirect,
  type SignInMetrics,
  UNCACHED,
} from "../host.ts";
import type { Flow, Interactions } from "../interaction.ts";
import { OAuthError } from "../server/oauth-error.ts";
import type { KeyRing } from "../store/sealed.ts";
import type { Consents } from "./consents.ts";
import type { Away, FlowRows, FlowState, SignedIn } from "./flow-rows.ts";
import { readForm } from "./form.ts";
import { consentPage } from "./pages/consent-page.ts";
import { type Page, sendPage } from "./pages/page.ts";
import { MEANINGS, problemPage, strayPage } from "./pages/problem-page.ts";
import { accountIn, type Probe } from "./probe.ts";
import { type Provider, ProviderError, type ProviderFailure, type ReturnAddress } from "./provider.ts";
import type { SignInSessions } from "./sessions.ts";
import { type Consumer, credentialsOf, type UpstreamTokens } from "./tokens.ts";

/** The part of an upstream that the sign-in uses. */
export interface SignInProvider {
  readonly name: string;
  /** The name of the upstream that people know. */
  readonly title: string;
  readonly provider: Provider;
  readonly consumer?: Consumer | undefined;
  readonly identity: { readonly probe: Probe; readonly field: string };
  /** Whether the sign-in at this upstream is mandatory. */
  readonly required: boolean;
}

export interface SignInOptions {
  /** The upstreams in the order of sign-in. The first determines the name of the person. */
  readonly providers: readonly SignInProvider[];
  readonly flows: FlowRows;
  readonly sessions: SignInSessions;
  readonly consents: Consents;
  readonly ring: KeyRing;
  /** Returns the permissions that a scope gives, in words. Default: the name of the scope. */
  readonly describeScope: (scope: string) => string;
  readonly log: AuthorizationLog;
  readonly metrics: Pick<SignInMetrics, "signedIn">;
}

/** The purpose of the keyed hashes that prove where a form comes from. */
const PROOF = "form";

/**
 * Signs people in at one upstream after another, asks for consent, and starts the session. The server has
 * already checked the cookie of the browser. A return from an upstream must match the redirect to the
 * upstream in the same flow.
 */
export class SignIn implements Interactions {
  private readonly options: SignInOptions;

  constructor(options: SignInOptions) {
    this.options = options;
  }

  async serve(exchange: HttpExchange, flow: Flow): Promise<string | undefined> {
    const { request, path, query } = exchange;
    const step = path.slice(flow.path.length);
    if (step === "/decision") {
      if (request.method !== "POST") return rejectMethod(exchange, "POST");
      return await this.decide(exchange, flow);
    }
    if (step !== "" && step !== "/return") {
      return sendPage(exchange, strayPage(404, "not_found", "There is no page at this address."));
    }
    if (request.method !== "GET") return rejectMethod(exchange, "GET");
    if (step === "/return") return await this.arrive(new URLSearchParams(query), exchange, flow);
    return await this.proceed(exchange, flow);
  }

  /** Sends the person to the next upstream or, after the last one, asks for consent. */
  private async proceed(exchange: HttpExchange, flow: Flow): Promise<string | undefined> {
    const state = await this.options.flows.load(flow);
    const next = this.nextProvider(state);
    if (next !== undefined) return await this.depart(exchange, flow, next);
    const [subject, scopes] = [this.subjectOf(state), flow.scopes];
    if (subject === undefined) return await this.problem(exchange, flow, this.providers[0], "denied");
    if (!flow.asksConsent && (await this.options.consents.has(subject, flow.client, scopes))) {
      return await this.finish(exchange, flow);
    }
    return sendPage(exchange, this.consentPage(flow, state));
  }

  private async depart(
    exchange: HttpExchange,
    flow: Flow,
    provider: SignInProvider,
  ): Promise<string | undefined> {
    const to = returnAddressOf(flow, flow.returnState + randomBytes(32).toString("base64url"));
    let departure: Awaited<ReturnType<Provider["depart"]>>;
    try {
      departure = await provider.provider.depart(to);
    } catch (error) {
      return await this.failed(exchange, flow, provider, error);
    }
    const away = { provider: provider.name, state: to.state, pending: departure.pending };
    await this.options.flows.update(flow, (state) => ({ ...state, away, problem: undefined }));
    return redirect(exchange, departure.address);
  }

  /**
   * Handles a person's return from an upstream. The parameters are accepted once, and only for the most
   * recent redirect to the upstream.
   */
  private async arrive(
    query: URLSearchParams,
    exchange: HttpExchange,
    flow: Flow,
  ): Promise<string | undefined> {
    const before = await this.options.flows.update(flow, (state) =>
      state.away === undefined ? state : { ...state, away: undefined },
    );
    const provider = this.providers.find(({ name }) => name === before.away?.provider);
    if (before.away === undefined || provider === undefined) {
      const text =
        "This address belongs to no sign-in that goes on here: it has been used before, or is too old.";
      return sendPage(exchange, strayPage(400, "invalid_request", text));
    }
    try {
      const signedIn = await this.signedIn(query, flow, provider, before.away);
      await this.options.flows.update(flow, (state) => ({
        ...state,
        signedIn: new Map([...state.signedIn, [provider.name, signedIn]]),
      }));
    } catch (error) {
      return await this.failed(exchange, flow, provider, error);
    }
    this.options.metrics.signedIn(provider.name, "ok");
    // redirect to a new page, so that a reload does not send the code again
    return redirect(exchange, flow.path);
  }

  private async signedIn(
    query: URLSearchParams,
    flow: Flow,
    { name, provider, identity, consumer }: SignInProvider,
    { state, pending }: Away,
  ): Promise<SignedIn> {
    const tokens = await provider.arrive(query, returnAddressOf(flow, state), pending);
    try {
      const result = await identity.probe(credentialsOf(tokens, consumer));
      if (result.kind === "rejected") throw new ProviderError("invalid", "the new token is rejected");
      if (result.kind === "unavailable") throw new ProviderError("unavailable", result.text);
      const account = accountIn(result.value, identity.field);
      if (account !== undefined) return { account, tokens };
      throw new ProviderError("misconfigured", `the response has no account at ${identity.field}`);
    } catch (error) {
      await this.options.sessions.revoke(name, tokens);
      throw error;
    }
  }

  private async failed(
    exchange: HttpExchange,
    flow: Flow,
    provider: SignInProvider,
    error: unknown,
  ): Promise<string | undefined> {
    if (!(error instanceof ProviderError)) throw error;
    const { failure, message } = error;
    this.options.metrics.signedIn(provider.name, failure);
    this.options.log.warn({ provider: provider.name, failure, cause: message }, "sign-in failed");
    if (failure === "denied" && !provider.required) {
      await this.options.flows.update(flow, (state) => ({
        ...state,
        declined: [...state.declined, provider.name],
      }));
      return redirect(exchange, flow.path);
    }
    return await this.problem(exchange, flow, provider, failure);
  }

  private async problem(
    exchange: HttpExchange,
    flow: Flow,
    provider: SignInProvider | undefined,
    failure: ProviderFailure,
  ): Promise<string | undefined> {
    const { name = "", title = "the third party" } = provider ?? {};
    await this.options.flows.update(flow, (state) => ({
      ...state,
      // a new attempt may use all upstreams again
      declined: [],
      problem: { provider: name, failure },
    }));
    const out = { client: flow.client, again: flow.path, ...this.formOf(flow) };
    return sendPage(exchange, problemPage(failure, title, out));
  }

  /** Handles the form of a page. */
  private async decide(exchange: HttpExchange, flow: Flow): Promise<string | undefined> {
    let form: ReadonlyMap<string, string>;
    try {
      form = await readForm(exchange, flow.bodyIdleTimeoutMs);
    } catch (error) {
      if (!(error instanceof OAuthError)) throw error;
      return sendPage(exchange, strayPage(error.status, error.error, `What was sent is ${error.message}.`));
    }
    const forgery = this.forgeryOf(exchange, flow, form);
    if (forgery !== undefined) {
      this.options.log.warn({ client: flow.client.id, reason: forgery }, "decision rejected");
      const text = "What was sent does not come from the page that asks for your decision.";
      return sendPage(exchange, strayPage(403, "forged_request", text));
    }
    switch (form.get("decision")) {
      case "allow":
        return await this.allow(exchange, flow);
      case "deny":
        await this.forget(flow);
        await flow.fail("access_denied", "the person did not consent");
        return undefined;
      case "leave":
        return await this.leave(flow);
      default:
        return sendPage(exchange, strayPage(400, "invalid_request", "What was sent has no decision."));
    }
  }

  /** Returns the reason why a form does not come from a page of its flow; undefined if it does. */
  private forgeryOf(
    { request }: HttpExchange,
    { id }: Flow,
    form: ReadonlyMap<string, string>,
  ): string | undefined {
    if (!isSameSite(request)) return "its browser says that it comes from another site";
    return this.options.ring.isMac(form.get("proof") ?? "", PROOF, id) ? undefined : "it has no valid proof";
  }

  private async allow(exchange: HttpExchange, flow: Flow): Promise<undefined> {
    const state = await this.options.flows.load(flow);
    const subject = this.subjectOf(state);
    // the page is outdated: a new sign-in began in another tab
    if (subject === undefined || this.nextProvider(state) !== undefined) return redirect(exchange, flow.path);
    await this.options.consents.add(subject, flow.client, flow.scopes);
    return await this.finish(exchange, flow);
  }

  private async finish(exchange: HttpExchange, flow: Flow): Promise<undefined> {
    const state = await this.options.flows.take(flow);
    const subject = state && this.subjectOf(state);
    if (state === undefined || subject === undefined) return redirect(exchange, flow.path);
    const tokens = [...state.signedIn].map(([provider, each]) => [provider, each.tokens] as const);
    const sessionId = await this.options.sessions.start(subject, new Map<string, UpstreamTokens>(tokens));
    try {
      await flow.finish({ subject, sessionId, scopes: flow.scopes });
    } catch (error) {
      // no token refers to this session
      await this.options.sessions.end(sessionId).catch(() => undefined);
      throw error;
    }
  }

  /** Redirects to the client with the error that corresponds to the last problem. */
  private async leave(flow: Flow): Promise<undefined> {
    const { problem } = await this.forget(flow);
    const failure = isFailure(problem?.failure) ? problem.failure : "denied";
    const { error, description } = MEANINGS[failure];
    await flow.fail(error, description(problem?.provider ?? "the third party"));
  }

  /** Ends a flow, and revokes the tokens that it has received so far. */
  private async forget(flow: Flow): Promise<Pick<FlowState, "problem">> {
    const state = await this.options.flows.take(flow);
    const tokens = [...(state?.signedIn ?? [])];
    await Promise.all(tokens.map(([provider, each]) => this.options.sessions.revoke(provider, each.tokens)));
    return state ?? {};
  }

  private nextProvider({ signedIn, declined }: FlowState): SignInProvider | undefined {
    return this.providers.find(({ name }) => !signedIn.has(name) && !declined.includes(name));
  }

  private subjectOf({ signedIn }: FlowState): string | undefined {
    const first = this.providers.find(({ name }) => signedIn.has(name));
    return first && `${first.name}:${signedIn.get(first.name)?.account}`;
  }

  private consentPage(flow: Flow, { signedIn }: FlowState): Page {
    const accounts = this.providers.flatMap(({ name, title }) => {
      const account = signedIn.get(name)?.account;
      return account === undefined ? [] : [{ title, account }];
    });
    const permissions =
      flow.scopes.length > 0
        ? flow.scopes.map(this.options.describeScope)
        : ["Everything that the gateway offers, in your name"];
    return consentPage({ client: flow.client, accounts, permissions, ...this.formOf(flow) });
  }

  private formOf(flow: Flow) {
    return { action: `${flow.path}/decision`, proof: this.options.ring.mac(PROOF, flow.id) };
  }

  private get providers(): readonly SignInProvider[] {
    return this.options.providers;
  }
}

function returnAddressOf({ returnUrl, path }: Flow, state: string): ReturnAddress {
  return { returnUrl, flowUrl: `${new URL(returnUrl).origin}${path}/return`, state };
}

function isFailure(text: string | undefined): text is ProviderFailure {
  return text !== undefined && Object.hasOwn(MEANINGS, text);
}

/**
 * Reports whether, according to the browser, a form comes from a page of the gateway. For browsers that do
 * not report the origin, only the proof counts.
 */
function isSameSite({ headers }: HttpRequest): boolean {
  const site = headers["sec-fetch-site"];
  return site === undefined || site === "same-origin";
}

function rejectMethod(exchange: HttpExchange, allow: string): string {
  exchange.send(
    405,
    { allow, "content-type": "text/plain; charset=utf-8", ...UNCACHED },
    `this address takes ${allow}\n`,
  );
  return "invalid_request";
}
