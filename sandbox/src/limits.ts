/** All limits that the sandbox enforces. Tests lower them. `Infinity` disables a limit. */
export interface Limits {
  /** The maximum numbers of calls per consumer key, in an hour and on a calendar day (UTC). */
  callsPerHour: number;
  callsPerDay: number;
  /**
   * The maximum number of calls per address and minute. Disabled by default, since in tests every caller has
   * the same address.
   */
  callsPerAddressPerMinute: number;
  /** The maximum number of requests per minute to the block list endpoints. */
  blocksPerMinute: number;
  /**
   * The maximum numbers of posts (including reblogs), images, videos and seconds of video per user and day.
   */
  postsPerDay: number;
  imagesPerDay: number;
  videosPerDay: number;
  /** The maximum number of posts in the queue of one blog. */
  queuedPosts: number;
  /** The maximum sizes of an uploaded image or audio file, and of an uploaded video, in bytes. */
  fileBytes: number;
  videoBytes: number;
  /**
   * The number of seconds for which a new video is transcoded. Meanwhile, no other video is accepted. 0
   * disables transcoding.
   */
  transcodeSeconds: number;
  /** The maximum numbers of follows, likes and new blogs per user and day. */
  followsPerDay: number;
  likesPerDay: number;
  blogsPerDay: number;
  videoSecondsPerDay: number;
  /** The maximum number of blogs that a user follows. */
  followedBlogs: number;
  /** The maximum numbers of filtered tags and filtered content strings per user. */
  filteredTags: number;
  filteredContent: number;
  /** The maximum numbers of community invitations per user, in a second and on a calendar day (UTC). */
  invitationsPerSecond: number;
  invitationsPerDay: number;
  /**
   * The maximum numbers of communities that a user joins by invite link or because they are open, in an hour
   * and on a day.
   */
  joinsPerHour: number;
  joinsPerDay: number;
  /** The maximum numbers of different reactions to a post, in total and per user. */
  reactionsPerPost: number;
  reactionsPerUser: number;
  /** The maximum numbers of requests to the event feed per hour, without and with a token. */
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
