/** Every number the sandbox enforces. Tests make them small; `Infinity` turns one off. */
export interface Limits {
  /** Calls of one consumer key in an hour and in a calendar day (UTC). */
  callsPerHour: number;
  callsPerDay: number;
  /** Calls from one address in a minute. Not enforced unless set: here every caller has the same address. */
  callsPerAddressPerMinute: number;
  /** Requests to the block list endpoints in a minute. */
  blocksPerMinute: number;
  /** A day's posts (reblogs included), images and videos of one user, and seconds of video. */
  postsPerDay: number;
  imagesPerDay: number;
  videosPerDay: number;
  /** Posts in one blog's queue. */
  queuedPosts: number;
  /** Bytes of one uploaded image or audio file, and of one video. */
  fileBytes: number;
  videoBytes: number;
  /** Seconds for which a new video counts as transcoding and rejects another; 0 for none. */
  transcodeSeconds: number;
  /** A day's follows, likes and new blogs of one user. */
  followsPerDay: number;
  likesPerDay: number;
  blogsPerDay: number;
  videoSecondsPerDay: number;
  /** Blogs that one user follows in all. */
  followedBlogs: number;
  /** Filtered tags and filtered content strings of one user. */
  filteredTags: number;
  filteredContent: number;
  /** Community invitations that one user sends, in a second and on a calendar day (UTC). */
  invitationsPerSecond: number;
  invitationsPerDay: number;
  /** Joins of one user by invite link or because a community is free to join, in an hour and on a day. */
  joinsPerHour: number;
  joinsPerDay: number;
  /** Different reactions on one post, and those of one user on it. */
  reactionsPerPost: number;
  reactionsPerUser: number;
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
  followsPerDay: 200,
  likesPerDay: 1000,
  blogsPerDay: 10,
  videoSecondsPerDay: 3600,
  followedBlogs: 5000,
  filteredTags: 1000,
  filteredContent: 200,
  invitationsPerSecond: 1,
  invitationsPerDay: 250,
  joinsPerHour: 25,
  joinsPerDay: 100,
  reactionsPerPost: 20,
  reactionsPerUser: 5,
  feedCallsAnonymous: 60,
  feedCallsWithToken: 5000,
});
