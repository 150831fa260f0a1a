import { feedService } from "../../runtime/src/testing/feed-service.ts";

/** The adapter of test.v1.FeedService, as a configuration names it. */
export const FeedServiceRest = feedService();
