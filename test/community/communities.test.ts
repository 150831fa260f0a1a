import { runCases } from "../blog/run.ts";
import { COMMUNITY_CASES } from "./cases/communities.ts";

runCases(COMMUNITY_CASES, "./communities-failures.txt");
