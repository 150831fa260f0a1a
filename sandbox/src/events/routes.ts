import type { Call, Route } from "../dispatch/call.ts";
import type { HttpResponse } from "../http/response.ts";
import { type Account, type Repo, requireAccount, requireRepo, requireRepoById } from "./accounts.ts";
import { checkRejections, type FeedCaller, feedCaller, rejectFeed } from "./caller.ts";
import { type Timeline, timelinePage } from "./page.ts";

type Find = (call: Call, caller: FeedCaller) => Timeline;

const same = (a: string, b: string | undefined) => a.toLowerCase() === b?.toLowerCase();

/** GET /events */
const publicEvents: Find = () => ({ where: "public = 1", values: [], linkPath: "/events" });

function repoTimeline(repo: Repo): Timeline {
  return { where: "repo = ?", values: [repo.id], linkPath: `/repositories/${repo.id}/events` };
}

const moved = (call: Call, rest: string) => (id: number) => `${call.origin}/feed/repositories/${id}/${rest}`;

/** GET /repos/{owner}/{repo}/events */
const repoEvents: Find = (call, caller) =>
  repoTimeline(
    requireRepo(call.world, call.path.owner ?? "", call.path.repo ?? "", caller.login, moved(call, "events")),
  );

function networkTimeline(repo: Repo, linkPath: string): Timeline {
  const where = "public = 1 AND repo IN (SELECT id FROM feed_repos WHERE network = ?)";
  return { where, values: [repo.network], linkPath };
}

/** GET /networks/{owner}/{repo}/events */
const networkEvents: Find = (call, caller) => {
  const { owner = "", repo = "" } = call.path;
  const found = requireRepo(call.world, owner, repo, caller.login, moved(call, "network/events"));
  return networkTimeline(found, `/networks/${owner}/${repo}/events`);
};

/** GET /orgs/{org}/events */
const orgEvents = (org: Account): Timeline => ({
  where: "public = 1 AND org = ?",
  values: [org.login],
  linkPath: `/organizations/${org.id}/events`,
});

/** Handles GET /users/{username}/events[/public]. Shows private events only with the user's own token. */
function userEvents(user: Account, caller: FeedCaller, publicOnly: boolean): Timeline {
  const all = !publicOnly && same(user.login, caller.login);
  return {
    where: `actor = ?${all ? "" : " AND public = 1"}`,
    values: [user.login],
    linkPath: `/user/${user.id}/events${publicOnly ? "/public" : ""}`,
    strongTag: true,
  };
}

/** GET /users/{username}/received_events[/public] */
function receivedEvents(user: Account, caller: FeedCaller, publicOnly: boolean): Timeline {
  const all = !publicOnly && same(user.login, caller.login);
  return {
    where: `(repo IN (SELECT repo FROM feed_watches WHERE login = ? AND repo IS NOT NULL)
      OR actor IN (SELECT followed FROM feed_watches WHERE login = ? AND followed IS NOT NULL))${all ? "" : " AND public = 1"}`,
    values: [user.login, user.login],
    linkPath: `/user/${user.id}/received_events${publicOnly ? "/public" : ""}`,
    strongTag: true,
  };
}

/** Handles GET /users/{username}/events/orgs/{org}. Needs a token of this user, and returns 404 otherwise. */
function orgDashboard(call: Call, user: Account, caller: FeedCaller): Timeline {
  const org = requireAccount(call.world, "organization", { login: call.path.org ?? "" });
  const member =
    call.world.db.count(
      "SELECT COUNT(*) AS n FROM feed_members WHERE org = ? AND login = ?",
      org.login,
      user.login,
    ) > 0;
  if (!same(user.login, caller.login) || !member) throw rejectFeed(404, "Not Found");
  return {
    where: "org = ?",
    values: [org.login],
    linkPath: `/user/${user.id}/events/orgs/${org.login}`,
    strongTag: true,
  };
}

const byName = (call: Call) => requireAccount(call.world, "user", { login: call.path.username ?? "" });
const byId = (call: Call) => requireAccount(call.world, "user", { id: call.path.id ?? "" });

const TIMELINES: Record<string, Find> = {
  "/events": publicEvents,
  "/networks/:owner/:repo/events": networkEvents,
  "/orgs/:org/events": (call) =>
    orgEvents(requireAccount(call.world, "organization", { login: call.path.org ?? "" })),
  "/organizations/:id/events": (call) =>
    orgEvents(requireAccount(call.world, "organization", { id: call.path.id ?? "" })),
  "/repos/:owner/:repo/events": repoEvents,
  "/repositories/:id/events": (call, caller) =>
    repoTimeline(requireRepoById(call.world, call.path.id ?? "", caller.login)),
  "/repositories/:id/network/events": (call, caller) => {
    const repo = requireRepoById(call.world, call.path.id ?? "", caller.login);
    return networkTimeline(repo, `/repositories/${repo.id}/network/events`);
  },
};

for (const [prefix, find] of [
  ["/users/:username", byName],
  ["/user/:id", byId],
] as const) {
  TIMELINES[`${prefix}/events`] = (call, caller) => userEvents(find(call), caller, false);
  TIMELINES[`${prefix}/events/public`] = (call, caller) => userEvents(find(call), caller, true);
  TIMELINES[`${prefix}/events/orgs/:org`] = (call, caller) => orgDashboard(call, find(call), caller);
  TIMELINES[`${prefix}/received_events`] = (call, caller) => receivedEvents(find(call), caller, false);
  TIMELINES[`${prefix}/received_events/public`] = (call, caller) => receivedEvents(find(call), caller, true);
}

function response(call: Call, find: Find): HttpResponse {
  const caller = feedCaller(call);
  checkRejections(call.world, caller);
  return timelinePage(call, caller, find(call, caller));
}

/** The nine feeds and their aliases with ids, below `/feed`. */
export const feedRoutes: Route[] = Object.entries(TIMELINES).map(([path, find]) => ({
  method: "GET",
  path: `/feed${path}`,
  level: "self",
  handle: (call) => response(call, find),
}));
