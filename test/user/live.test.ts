import { runCases } from "../blog/run.ts";
import { LIVE_USER_CASES } from "./cases/live.ts";

runCases(LIVE_USER_CASES, "./live-failures.txt");
