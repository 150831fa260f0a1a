import { POST_CASES } from "./cases/posts.ts";
import { runCases } from "./run.ts";

runCases(POST_CASES, "./posts-failures.txt");
