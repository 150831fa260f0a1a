import type { MessageInitShape } from "@bufbuild/protobuf";
import type { CallOptions, Client } from "@connectrpc/connect";
import type { EventService } from "../../gen/events/v1/events_pb.ts";
import type {
  WatchPublicEventsRequestSchema,
  WatchPublicEventsResponse,
} from "../../gen/events/v1/watch_events_pb.ts";

/** The request fields of every stream. */
export type Start = Pick<
  Extract<MessageInitShape<typeof WatchPublicEventsRequestSchema>, { $typeName?: never }>,
  "start" | "heartbeatInterval"
>;

/** The messages of every stream. */
export type Batch = Omit<WatchPublicEventsResponse, "$typeName">;

/** One of the nine feeds as a stream. */
export interface WatchedFeed {
  /** The path under its heading in the reference. */
  readonly path: string;
  /** The path of a feed with seeded events. */
  readonly asked: string;
  readonly watch: (
    client: Client<typeof EventService>,
    start?: Start,
    options?: CallOptions,
  ) => AsyncIterable<Batch>;
  /** Requests a missing feed; undefined if the feed cannot be missing. */
  readonly nothing?: (client: Client<typeof EventService>) => AsyncIterable<Batch>;
  /** The reason for a missing feed. */
  readonly reason?: string;
}

const user = { username: "octavia" };
const nobody = { username: "nobody" };
const hello = { owner: "octo", repo: "hello" };
const missing = { owner: "octo", repo: "missing" };
const USER = "USER_NOT_FOUND";

/** The nine feeds. */
export const WATCHED_FEEDS: readonly WatchedFeed[] = [
  {
    path: "/events",
    asked: "/events",
    watch: (client, start, options) => client.watchPublicEvents({ ...start }, options),
  },
  {
    path: "/networks/{owner}/{repo}/events",
    asked: "/networks/octo/hello/events",
    watch: (client, start, options) => client.watchNetworkEvents({ ...hello, ...start }, options),
    nothing: (client) => client.watchNetworkEvents(missing),
    reason: "REPOSITORY_NOT_FOUND",
  },
  {
    path: "/orgs/{org}/events",
    asked: "/orgs/octo/events",
    watch: (client, start, options) => client.watchOrganizationEvents({ org: "octo", ...start }, options),
    nothing: (client) => client.watchOrganizationEvents({ org: "nobody" }),
    reason: "ORGANIZATION_NOT_FOUND",
  },
  {
    path: "/repos/{owner}/{repo}/events",
    asked: "/repos/octo/hello/events",
    watch: (client, start, options) => client.watchRepositoryEvents({ ...hello, ...start }, options),
    nothing: (client) => client.watchRepositoryEvents(missing),
    reason: "REPOSITORY_NOT_FOUND",
  },
  {
    path: "/users/{username}/events",
    asked: "/users/octavia/events",
    watch: (client, start, options) => client.watchUserEvents({ ...user, ...start }, options),
    nothing: (client) => client.watchUserEvents(nobody),
    reason: USER,
  },
  {
    path: "/users/{username}/events/orgs/{org}",
    asked: "/users/octavia/events/orgs/octo",
    watch: (client, start, options) =>
      client.watchUserOrganizationEvents({ ...user, org: "octo", ...start }, options),
    nothing: (client) => client.watchUserOrganizationEvents({ ...user, org: "nobody" }),
    reason: "USER_OR_ORGANIZATION_NOT_FOUND",
  },
  {
    path: "/users/{username}/events/public",
    asked: "/users/octavia/events/public",
    watch: (client, start, options) => client.watchUserPublicEvents({ ...user, ...start }, options),
    nothing: (client) => client.watchUserPublicEvents(nobody),
    reason: USER,
  },
  {
    path: "/users/{username}/received_events",
    asked: "/users/marvin/received_events",
    watch: (client, start, options) => client.watchReceivedEvents({ username: "marvin", ...start }, options),
    nothing: (client) => client.watchReceivedEvents(nobody),
    reason: USER,
  },
  {
    path: "/users/{username}/received_events/public",
    asked: "/users/marvin/received_events/public",
    watch: (client, start, options) =>
      client.watchReceivedPublicEvents({ username: "marvin", ...start }, options),
    nothing: (client) => client.watchReceivedPublicEvents(nobody),
    reason: USER,
  },
];
