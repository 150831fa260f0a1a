import { fields, type Section } from "./section.ts";

const EVENT = "events.v1.Event";
const PATHS = [
  "/events",
  "/networks/{owner}/{repo}/events",
  "/orgs/{org}/events",
  "/repos/{owner}/{repo}/events",
  "/users/{username}/events",
  "/users/{username}/events/orgs/{org}",
  "/users/{username}/events/public",
  "/users/{username}/received_events",
  "/users/{username}/received_events/public",
];

const record = (title: string, rows: number, names: string, elsewhere?: Section["elsewhere"]): Section => ({
  title,
  rows,
  kind: "record",
  of: title,
  names,
  ...(elsewhere !== undefined && { elsewhere }),
});

/** The sections of the event feed reference: objects, payloads, lists and streams. */
export const EVENT_FEED: readonly Section[] = [
  fields(
    "Event object",
    EVENT,
    8,
    "id, type, actor, repo, payload = events.v1.Event.payload, public, created_at, org",
  ),
  fields("actor", "events.v1.Actor", 6, "id, login, display_login, external_avatar_id, url, avatar_url"),
  fields("repo", "events.v1.Repository", 3, "id, name, url"),
  fields("org", "events.v1.Organization", 5, "id, login, external_avatar_id, url, avatar_url"),
  fields("WatchEvent", "events.v1.WatchPayload", 1, "action"),
  fields("PushEvent", "events.v1.PushPayload", 7, "push_id, size, distinct_size, ref, head, before, commits"),
  fields("commits", "events.v1.Commit", 5, "sha, author, message, distinct, url"),
  fields("author", "events.v1.CommitAuthor", 2, "email, name"),
  fields(
    "CreateEvent",
    "events.v1.CreatePayload",
    5,
    "ref, ref_type, master_branch, description, pusher_type",
  ),
  ...(["List", "Watch"] as const).flatMap((kind) => [
    record(`${kind}, endpoints`, 9, PATHS.map((path) => `${path} = ${kind} ${path}`).join(", ")),
    record(
      `${kind}, headers and parameters`,
      5,
      ["accept", "x-service-api-version", "authorization", "if-none-match", "per_page"]
        .map((name) => `${name} = ${kind} sends ${name}`)
        .join(", "),
    ),
    record(
      `${kind}, statuses`,
      6,
      ["200", "304", "301", "403", "404", "503"]
        .map((status) => `${status} = ${kind} met ${status}`)
        .join(", "),
    ),
    record(
      `${kind}, polling`,
      4,
      ["ETag", "304 is free", "X-Poll-Interval", "300 events"]
        .map((rule) => `${rule} = ${kind} keeps ${rule}`)
        .join(", "),
    ),
  ]),
  record("List, page", 1, "page = List sends page"),
];
