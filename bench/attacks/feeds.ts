import { PATH, request } from "../watch/request.ts";
import { Watchers } from "../watch/watchers.ts";
import { type Attack, LARGE_FEED } from "./attack.ts";

const LARGE_FEEDS = 4;
/** The default maximum number of watched feeds per process. */
const FEEDS = 1000;

async function watch(port: number, did: (count: number) => void, count: number, owner: string) {
  const watchers = new Watchers(() => did(1));
  await watchers.open(port, PATH, (index) => request({ owner: `${owner}${index}` }), count);
}

export const feedPages: Attack = {
  name: "pages",
  does: `${LARGE_FEEDS} feeds with pages of ${LARGE_FEED.items} items`,
  serves: "feeds",
  others: "a page of posts",
  slower: 25,
  begin: (port, did) => watch(port, did, LARGE_FEEDS, LARGE_FEED.owner),
};

export const manyFeeds: Attack = {
  name: "feeds",
  does: `${FEEDS} feeds that one address watches`,
  serves: "feeds",
  others: "a feed of its own",
  slower: 25,
  begin: (port, did) => watch(port, did, FEEDS, "greedy"),
};
