import { BLOG_CASES } from "./cases/blog.ts";
import { runCases } from "./run.ts";

runCases(BLOG_CASES, "./blog-failures.txt");
