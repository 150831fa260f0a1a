import { feedService } from "../../runtime/src/testing/feed-service.ts";

/** test.v1.FeedService, as a configuration names it. */
export const FeedServiceRest = feedService();
