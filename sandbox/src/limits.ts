/** Every number the sandbox enforces. Tests make them small; `Infinity` turns one off. */
export interface Limits {
  /** Calls of one consumer key in an hour and in a calendar day (UTC). */
  callsPerHour: number;
  readonly callsPerDay: number;
  /** Calls from one address in a minute. Not enforced unless set: here every caller has the same address. */
  readonly callsPerAddressPerMinute: number;
  /** Requests to the block list endpoints in a minute. */
  blocksPerMinute: number;
  /** A day's posts (reblogs included), images and videos of one user, and seconds of video. */
  postsPerDay: number;
  readonly imagesPerDay: number;
  videosPerDay: number;
  /** Posts in one blog's queue. */
  queuedPosts: number;
  /** Bytes of one uploaded image or audio file, and of one video. */
  fileBytes: number;
  readonly videoBytes: number;
  /** Seconds for which a new video counts as transcoding and refuses another; 0 for none. */
  readonly transcodeSeconds: number;
  /** Event feed: requests in an hour without and with a token. */
  feedCallsAnonymous: number;
  feedCallsWithToken: number;
}

const MIB = 1024 * 1024;

export const LIMITS: Readonly<Limits> = Object.freeze({
  callsPerHour: 1000,
  callsPerDay: 5000,
  callsPerAddressPerMinute: Number.POSITIVE_INFINITY,
  blocksPerMinute: 60,
  postsPerDay: 250,
  imagesPerDay: 250,
  videosPerDay: 20,
  queuedPosts: 1000,
  fileBytes: 10 * MIB,
  videoBytes: 500 * MIB,
  transcodeSeconds: 0,
  feedCallsAnonymous: 60,
  feedCallsWithToken: 5000,
});
