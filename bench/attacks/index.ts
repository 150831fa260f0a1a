import type { Attack } from "./attack.ts";
import { emptyFrames } from "./empty-frames.ts";
import { feedPages, manyFeeds } from "./feeds.ts";
import { healthWatches } from "./health-watches.ts";
import { hpackHeaders, hpackTrailers } from "./hpack.ts";
import { keySets } from "./key-sets.ts";
import { rapidResets } from "./rapid-resets.ts";
import { slowBodies } from "./slow-bodies.ts";
import { unreadResponses } from "./unread-responses.ts";

/** All attacks, none of which should affect other clients. */
export const ATTACKS: readonly Attack[] = [
  hpackHeaders,
  hpackTrailers,
  rapidResets,
  healthWatches,
  feedPages,
  manyFeeds,
  keySets,
  slowBodies,
  unreadResponses,
  emptyFrames,
];

/** @throws Error if the name is unknown */
export function attackOf(name: string | undefined): Attack {
  const attack = ATTACKS.find((each) => each.name === name);
  if (attack === undefined) throw new Error(`expected the name of an attack, got ${name}`);
  return attack;
}
