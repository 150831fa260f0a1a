import { runCases } from "../blog/run.ts";
import { COMMUNITY_POST_CASES } from "./cases/posts.ts";

runCases(COMMUNITY_POST_CASES, "./posts-failures.txt");
