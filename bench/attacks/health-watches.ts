import { Watchers } from "../watch/watchers.ts";
import { type Attack, pause } from "./attack.ts";

const STREAMS = 6000;
/** The time after which the streams are reopened, in milliseconds. */
const OPEN_MS = 1000;
/** A request for the health of the whole gateway: an empty message in its envelope. */
const REQUEST = Buffer.alloc(5);

export const healthWatches: Attack = {
  name: "health",
  does: `${STREAMS} streams of Health.Watch that are opened at once`,
  serves: "posts",
  others: "a page of posts",
  slower: 300,
  begin: async (port, did) => {
    for (;;) {
      const watchers = new Watchers();
      await watchers.open(port, "/grpc.health.v1.Health/Watch", REQUEST, STREAMS);
      did(STREAMS);
      await pause(OPEN_MS);
      watchers.close();
    }
  },
};
