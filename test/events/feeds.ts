import type { Client } from "@connectrpc/connect";
import type { EventService, ListPublicEventsResponse } from "../../gen/events/v1/events_pb.ts";

/** The request fields of every feed. */
export interface Page {
  readonly perPage?: number;
  readonly page?: number;
  readonly ifNoneMatch?: string;
}

/** The response of every feed. */
export type Answer = Omit<ListPublicEventsResponse, "$typeName">;

export interface Feed {
  /** The path under its heading in the reference. */
  readonly path: string;
  /** The path of a feed with seeded events, and its path in the `Link` header. */
  readonly asked: string;
  readonly linked: string;
  readonly list: (client: Client<typeof EventService>, page?: Page) => Promise<Answer>;
  /** Requests a missing feed; undefined if the feed cannot be missing. */
  readonly nothing?: (client: Client<typeof EventService>) => Promise<Answer>;
  /** The reason for a missing feed. */
  readonly reason?: string;
  /** Whether the feed includes private events for the user who owns the token. */
  readonly holdsPrivate: boolean;
}

const user = { username: "octavia" };
const nobody = { username: "nobody" };
const hello = { owner: "octo", repo: "hello" };
const missing = { owner: "octo", repo: "missing" };
const USER = "USER_NOT_FOUND";

/** The nine feeds. */
export const FEEDS: readonly Feed[] = [
  {
    path: "/events",
    asked: "/events",
    linked: "/events",
    list: (client, page) => client.listPublicEvents({ ...page }),
    holdsPrivate: false,
  },
  {
    path: "/networks/{owner}/{repo}/events",
    asked: "/networks/octo/hello/events",
    linked: "/networks/octo/hello/events",
    list: (client, page) => client.listNetworkEvents({ ...hello, ...page }),
    nothing: (client) => client.listNetworkEvents(missing),
    reason: "REPOSITORY_NOT_FOUND",
    holdsPrivate: false,
  },
  {
    path: "/orgs/{org}/events",
    asked: "/orgs/octo/events",
    linked: "/organizations/301/events",
    list: (client, page) => client.listOrganizationEvents({ org: "octo", ...page }),
    nothing: (client) => client.listOrganizationEvents({ org: "nobody" }),
    reason: "ORGANIZATION_NOT_FOUND",
    holdsPrivate: false,
  },
  {
    path: "/repos/{owner}/{repo}/events",
    asked: "/repos/octo/hello/events",
    linked: "/repositories/201/events",
    list: (client, page) => client.listRepositoryEvents({ ...hello, ...page }),
    nothing: (client) => client.listRepositoryEvents(missing),
    reason: "REPOSITORY_NOT_FOUND",
    holdsPrivate: false,
  },
  {
    path: "/users/{username}/events",
    asked: "/users/octavia/events",
    linked: "/user/101/events",
    list: (client, page) => client.listUserEvents({ ...user, ...page }),
    nothing: (client) => client.listUserEvents(nobody),
    reason: USER,
    holdsPrivate: true,
  },
  {
    path: "/users/{username}/events/orgs/{org}",
    asked: "/users/octavia/events/orgs/octo",
    linked: "/user/101/events/orgs/octo",
    list: (client, page) => client.listUserOrganizationEvents({ ...user, org: "octo", ...page }),
    nothing: (client) => client.listUserOrganizationEvents({ ...user, org: "nobody" }),
    reason: "USER_OR_ORGANIZATION_NOT_FOUND",
    holdsPrivate: true,
  },
  {
    path: "/users/{username}/events/public",
    asked: "/users/octavia/events/public",
    linked: "/user/101/events/public",
    list: (client, page) => client.listUserPublicEvents({ ...user, ...page }),
    nothing: (client) => client.listUserPublicEvents(nobody),
    reason: USER,
    holdsPrivate: false,
  },
  {
    path: "/users/{username}/received_events",
    asked: "/users/marvin/received_events",
    linked: "/user/102/received_events",
    list: (client, page) => client.listReceivedEvents({ username: "marvin", ...page }),
    nothing: (client) => client.listReceivedEvents(nobody),
    reason: USER,
    holdsPrivate: true,
  },
  {
    path: "/users/{username}/received_events/public",
    asked: "/users/marvin/received_events/public",
    linked: "/user/102/received_events/public",
    list: (client, page) => client.listReceivedPublicEvents({ username: "marvin", ...page }),
    nothing: (client) => client.listReceivedPublicEvents(nobody),
    reason: USER,
    holdsPrivate: false,
  },
];
