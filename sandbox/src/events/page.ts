import { createHash } from "node:crypto";
import type { SQLInputValue } from "node:sqlite";
import type { Call } from "../dispatch/call.ts";
import { noneMatchNames } from "../http/entity-tag.ts";
import { percentEncode } from "../http/fields.ts";
import { bareJson, type HeaderMap, type HttpResponse } from "../http/response.ts";
import { readJson, writeJson } from "../json.ts";
import { type FeedCaller, rateHeaders, rejectFeed } from "./caller.ts";

/** A timeline: its events, and the path for its `Link` header. */
export interface Timeline {
  readonly where: string;
  readonly values: SQLInputValue[];
  /** The path below the base address of the feed. If the feed has an alias with ids, this is the alias. */
  readonly linkPath: string;
  readonly strongTag?: boolean;
}

/** The maximum size of a timeline, in events and in days. */
export const DEPTH = 300;
export const HISTORY_SECONDS = 30 * 86_400;
const API_VERSIONS = ["2022-11-28"];

function positive(text: string | undefined, fallback: number): number {
  const value = Number(text);
  return text !== undefined && Number.isInteger(value) && value >= 1 ? value : fallback;
}

function checkVersion(call: Call): void {
  const version = call.headers["x-service-api-version"];
  if (version !== undefined && !API_VERSIONS.includes(String(version))) {
    throw rejectFeed(400, `Unknown API version: ${String(version)}`);
  }
}

/** Returns the query without the page number, and with an ampersand after each parameter. */
function queryBesidePage(call: Call): string {
  return call.queryPairs
    .filter(([name]) => name !== "page")
    .map(([n, v]) => `${percentEncode(n)}=${percentEncode(v)}&`)
    .join("");
}

function linkHeader(call: Call, path: string, pageNumber: number, last: number): HeaderMap {
  if (last <= 1) return {};
  const rest = queryBesidePage(call);
  const link = (rel: string, to: number) => `<${call.origin}/feed${path}?${rest}page=${to}>; rel="${rel}"`;
  const links: string[] = [];
  if (pageNumber > 1) links.push(link("prev", pageNumber - 1));
  if (pageNumber < last) links.push(link("next", pageNumber + 1), link("last", last));
  if (pageNumber > 1) links.push(link("first", 1));
  return { link: links.join(", ") };
}

interface Row {
  readonly hidden: number;
  readonly created: number;
  readonly body: string;
}

/** Returns a page of a timeline, newest first, with the headers that polling clients need. */
export function timelinePage(call: Call, caller: FeedCaller, timeline: Timeline): HttpResponse {
  const { world } = call;
  checkVersion(call);
  const perPage = Math.min(100, positive(call.query.text("per_page"), 30));
  const pageNumber = positive(call.query.text("page"), 1);
  const pages = Math.ceil(DEPTH / perPage);
  if (pageNumber > pages) {
    const headers = rateHeaders(world, caller, call.address, 1);
    throw rejectFeed(
      422,
      `In order to keep the API fast for everyone, pagination is limited to ${DEPTH} events.`,
      {
        headers,
        body: { errors: [{ resource: "Event", field: "page", code: "invalid" }] },
      },
    );
  }
  world.feed.catchUp();
  const now = world.feed.now();
  const rows = world.db.all<Row>(
    `SELECT hidden, created, body FROM feed_events WHERE ${timeline.where} AND created > ? AND created <= ?
     AND id NOT IN (SELECT event FROM feed_arrivals WHERE visible > ?) ORDER BY created DESC, id DESC LIMIT ${DEPTH}`,
    ...timeline.values,
    now - HISTORY_SECONDS,
    now,
    now,
  );
  const slice = rows.slice((pageNumber - 1) * perPage, pageNumber * perPage);
  const body = `[${slice
    .filter((row) => row.hidden === 0)
    .map((row) => row.body)
    .join(",")}]`;
  const digest = createHash("sha256")
    .update(`${timeline.linkPath}?${queryBesidePage(call)} ${pageNumber} ${body}`)
    .digest("hex");
  const tag = timeline.strongTag ? `"${digest}"` : `W/"${digest}"`;
  const unchanged = noneMatchNames(call.headers["if-none-match"], tag);
  const scope = caller.token === undefined ? "public" : "private";
  const headers: HeaderMap = {
    etag: tag,
    "x-poll-interval": String(world.feed.pollInterval),
    "cache-control": `${scope}, max-age=60, s-maxage=60`,
    vary: "Accept, Authorization, Accept-Encoding",
    ...rateHeaders(world, caller, call.address, unchanged ? 0 : 1),
  };
  const newest = slice[0]?.created;
  if (newest !== undefined) headers["last-modified"] = new Date(newest * 1000).toUTCString();
  if (unchanged) return { status: 304, headers, body: { kind: "none" } };
  const last = Math.max(1, Math.ceil(rows.length / perPage));
  return bareJson(readJson(body), 200, {
    ...headers,
    ...linkHeader(call, timeline.linkPath, pageNumber, last),
  });
}

/** Returns the JSON of an event as stored. */
export function eventText(event: object): string {
  return writeJson(event);
}
