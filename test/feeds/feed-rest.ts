import { feedService } from "../../runtime/src/testing/feed-service.ts";

/** The adapter of test.v1.FeedService, exported for use in configurations. */
export const FeedServiceRest = feedService();
