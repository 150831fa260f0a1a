import { type Client, createClient, type Interceptor, type Transport } from "@connectrpc/connect";
import {
  createConnectTransport,
  createGrpcTransport,
  createGrpcWebTransport,
  Http2SessionManager,
} from "@connectrpc/connect-node";
import { startGateway } from "connect-rest-gateway";
import {
  type Credentials,
  createRestTransport,
  type DifferenceReport,
  type RestOptions,
  type RetryOptions,
  type ServiceAdapter,
} from "connect-rest-runtime";
import { LIMITS, type Sandbox, type SandboxOptions, startSandbox } from "connect-rest-sandbox";
import { BlogService } from "../../gen/blog/v1/blog_pb.ts";
import { BlogServiceRest } from "../../gen/blog/v1/blog_rest.ts";
import { EmbedService } from "../../gen/blog/v1/embed_pb.ts";
import { EmbedServiceRest } from "../../gen/blog/v1/embed_rest.ts";
import { PostService } from "../../gen/blog/v1/post_pb.ts";
import { PostServiceRest } from "../../gen/blog/v1/post_rest.ts";
import { CommunityService } from "../../gen/community/v1/community_pb.ts";
import { CommunityServiceRest } from "../../gen/community/v1/community_rest.ts";
import { OAuthService } from "../../gen/oauth/v1/oauth_pb.ts";
import { OAuthServiceRest } from "../../gen/oauth/v1/oauth_rest.ts";
import { FilterService } from "../../gen/user/v1/filter_pb.ts";
import { FilterServiceRest } from "../../gen/user/v1/filter_rest.ts";
import { UserService } from "../../gen/user/v1/user_pb.ts";
import { UserServiceRest } from "../../gen/user/v1/user_rest.ts";

/**
 * Node's client resets a connection's streams above 10 MB of data to send, which is less than a photo in
 * JSON.
 */
const LARGE_REQUESTS = { maxSessionMemory: 256 };

/**
 * Replaces the gateway's load measurement with zeros, because client, gateway and sandbox share a process on
 * a possibly busy machine.
 */
const idle = () => ({ eventLoopDelayMs: 0, heapPercent: 0 });

export const WAYS = ["Connect JSON", "Connect proto", "gRPC", "gRPC-Web", "in-process"] as const;
export type Way = (typeof WAYS)[number];

/** The credentials of a call. */
export type Identity =
  | "demo"
  | "ada"
  | "reader"
  | "signed"
  | "signed-rejected"
  | "key"
  | "application"
  | "read-only"
  | "unknown"
  | "nobody";

/** The clients of all services of the blogging service. */
export interface Api {
  readonly blogs: Client<typeof BlogService>;
  readonly posts: Client<typeof PostService>;
  readonly users: Client<typeof UserService>;
  readonly filters: Client<typeof FilterService>;
  readonly communities: Client<typeof CommunityService>;
  readonly embeds: Client<typeof EmbedService>;
  readonly oauth: Client<typeof OAuthService>;
}

/** Identifiers of seeded posts, which are the same after each reset. */
export interface Ids {
  /** For each type, a published post of the blog `demo` in the older form. */
  readonly legacy: Readonly<Record<string, bigint>>;
  /** A published post of `demo`, stored as blocks. */
  readonly blocks: bigint;
  /** The oldest post of `demo`, which has the most notes. */
  readonly noted: bigint;
  readonly queue: readonly bigint[];
  readonly drafts: readonly bigint[];
  readonly submissions: readonly bigint[];
  /** A published reblog of `demo`. */
  readonly reblog: bigint;
  /** A published post of the blog `ada`, and the values needed to reblog it. */
  readonly ada: { readonly id: bigint; readonly key: string; readonly uuid: string };
}

/** A sandbox, a gateway in front of it, and an in-process transport without checks. */
export interface BlogWorld {
  readonly sandbox: Sandbox;
  readonly ids: Ids;
  /** The differences reported for in-process calls. */
  readonly differences: DifferenceReport[];
  /** The credentials that the next calls use. */
  identity: Identity;
  /** Credentials that replace the credentials of `identity` until the next reset. */
  credentials: Credentials | undefined;
  api(way: Way): Api;
  /** Starts a second gateway, which uses connect's handlers for every call, in front of the same sandbox. */
  withoutFastPath(): Promise<Pick<BlogWorld, "api" | "close">>;
  /** Restores the seeded state, and the default limits, rules, time and identity. */
  reset(): void;
  close(): Promise<void>;
}

const CLOSED: Credentials = { apiKey: "unknown", oauth2: { accessToken: "unknown" } };

/** Returns the sandbox's credentials of each identity. */
export function credentialsOf({ credentials: known }: Sandbox, identity: Identity): Credentials {
  const bearer = (accessToken: string): Credentials => ({ oauth2: { accessToken } });
  const { consumerKey, consumerSecret } = known;
  const signed = (token: string, tokenSecret: string) => ({
    oauth1: { consumerKey, consumerSecret, token, tokenSecret },
  });
  switch (identity) {
    case "demo":
      return bearer(known.userToken);
    case "ada":
      return bearer(known.otherUserToken);
    case "reader":
      return signed(known.otherOauth1Token, known.otherOauth1TokenSecret);
    case "signed":
      return signed(known.oauth1Token, known.oauth1TokenSecret);
    case "signed-rejected":
      return signed(known.oauth1Token, "wrong");
    case "key":
      return { apiKey: consumerKey };
    case "application":
      return bearer(known.applicationToken);
    case "read-only":
      return bearer(known.readOnlyToken);
    case "unknown":
      return CLOSED;
    case "nobody":
      return {};
  }
}

export const ADAPTERS: readonly ServiceAdapter[] = [
  BlogServiceRest,
  PostServiceRest,
  UserServiceRest,
  FilterServiceRest,
  CommunityServiceRest,
  EmbedServiceRest,
  OAuthServiceRest,
];

export interface BlogWorldOptions {
  /** Whether responses that differ from the declaration are errors. */
  readonly strict?: boolean;
  /** The retry options. Default: calls are not retried. */
  readonly retry?: RetryOptions;
  readonly sandbox?: SandboxOptions;
  /** Interceptors of the in-process calls. */
  readonly interceptors?: Interceptor[];
  /** Interceptors of the gateway's calls. */
  readonly gatewayInterceptors?: Interceptor[];
}

/** Starts the sandbox, the gateway and the transport on free ports. */
export async function startBlogWorld(options: BlogWorldOptions = {}): Promise<BlogWorld> {
  const { strict = false } = options;
  const sandbox = await startSandbox({ port: 0, ...options.sandbox });
  const state = { identity: "demo" as Identity, credentials: undefined as Credentials | undefined };
  const differences: DifferenceReport[] = [];
  const calls: RestOptions = {
    adapters: ADAPTERS,
    upstreams: {
      blog: {
        bases: { api: sandbox.url, web: sandbox.url },
        // The many failing cases would open a circuit breaker, and a retry would be a second request.
        breaker: false,
        retry: options.retry ?? false,
        // Tests make calls more often than people do.
        rateLimits: false,
        credentials: () => state.credentials ?? credentialsOf(sandbox, state.identity),
      },
    },
    strict,
  };
  // As in connect-rest.yaml, so that photos and sounds of 10 MB are allowed.
  const limits = { readMaxBytes: 16 * 1024 * 1024 };
  const settings = { ...calls, limits, load: idle } as Parameters<typeof startGateway>[0];
  const gateway = await startGateway(settings);
  await gateway.warm;
  const inProcess = createRestTransport({
    ...calls,
    interceptors: options.interceptors,
    onDifference: (report) => differences.push(report),
  });
  const sessions = new Http2SessionManager(gateway.url, undefined, LARGE_REQUESTS);
  const interceptors = options.gatewayInterceptors ?? [];
  const apis = apisOver(transportsTo(gateway.url, sessions, inProcess, interceptors));
  const ids = await findIds(apis["in-process"]);
  const reset = () => {
    sandbox.reset();
    sandbox.clock.reset();
    Object.assign(sandbox.limits, LIMITS, options.sandbox?.limits);
    Object.assign(sandbox.rules, {
      postingDisabled: false,
      requireHttps: false,
      authorizeAs: undefined,
      communitySavingFails: false,
    });
    Object.assign(state, { identity: "demo", credentials: undefined });
    differences.length = 0;
  };
  reset();
  return {
    sandbox,
    ids,
    differences,
    get identity() {
      return state.identity;
    },
    set identity(identity) {
      state.identity = identity;
    },
    get credentials() {
      return state.credentials;
    },
    set credentials(credentials) {
      state.credentials = credentials;
    },
    api: (way) => apis[way],
    reset,
    withoutFastPath: async () => {
      const other = await startGateway({ ...settings, fastPath: false });
      const session = new Http2SessionManager(other.url, undefined, LARGE_REQUESTS);
      const api = apisOver(transportsTo(other.url, session, inProcess, interceptors));
      const close = async () => {
        session.abort();
        await other.close();
      };
      return { api: (way) => api[way], close };
    },
    close: async () => {
      sessions.abort();
      await inProcess.close();
      await gateway.close();
      await sandbox.close();
    },
  };
}

function transportsTo(
  baseUrl: string,
  sessionManager: Http2SessionManager,
  inProcess: Transport,
  interceptors: Interceptor[],
): Record<Way, Transport> {
  const h2 = { baseUrl, httpVersion: "2", sessionManager, interceptors } as const;
  return {
    "Connect JSON": createConnectTransport({ ...h2, useBinaryFormat: false }),
    "Connect proto": createConnectTransport(h2),
    gRPC: createGrpcTransport({ baseUrl, sessionManager, interceptors }),
    "gRPC-Web": createGrpcWebTransport(h2),
    "in-process": inProcess,
  };
}

function apisOver(transports: Record<Way, Transport>): Record<Way, Api> {
  const api = (transport: Transport): Api => ({
    blogs: createClient(BlogService, transport),
    posts: createClient(PostService, transport),
    users: createClient(UserService, transport),
    filters: createClient(FilterService, transport),
    communities: createClient(CommunityService, transport),
    embeds: createClient(EmbedService, transport),
    oauth: createClient(OAuthService, transport),
  });
  const entries = WAYS.map((way) => [way, api(transports[way])] as const);
  return Object.fromEntries(entries) as Record<Way, Api>;
}

/** Returns all messages of a stream. */
export async function all<T>(stream: AsyncIterable<T>): Promise<T[]> {
  const items: T[] = [];
  for await (const item of stream) items.push(item);
  return items;
}

async function findIds({ posts }: Api): Promise<Ids> {
  const blogIdentifier = "demo";
  const published = await all(posts.streamPosts({ blogIdentifier, reblogInfo: true }));
  const legacy = published.filter(({ isBlocksPostFormat }) => !isBlocksPostFormat).reverse();
  const [ada] = (await posts.listPosts({ blogIdentifier: "ada", limit: 1 })).posts;
  const blocks = published.find((post) => post.isBlocksPostFormat && post.parentPostUrl === "");
  const reblog = published.find(({ parentPostUrl }) => parentPostUrl !== "");
  const idsOf = async (stream: AsyncIterable<{ readonly id: bigint }>) =>
    (await all(stream)).map(({ id }) => id);
  return {
    legacy: Object.fromEntries(legacy.map(({ typeName, id }) => [typeName, id]).reverse()),
    blocks: blocks?.id ?? 0n,
    noted: published.at(-1)?.id ?? 0n,
    reblog: reblog?.id ?? 0n,
    queue: await idsOf(posts.streamQueuedPosts({ blogIdentifier })),
    drafts: await idsOf(posts.streamDraftPosts({ blogIdentifier })),
    submissions: await idsOf(posts.streamSubmissionPosts({ blogIdentifier })),
    ada: { id: ada?.id ?? 0n, key: ada?.reblogKey ?? "", uuid: "t:AdaLvlc1842xEngineNote" },
  };
}
