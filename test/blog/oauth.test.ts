import { OAUTH_CASES } from "./cases/oauth.ts";
import { runCases } from "./run.ts";

runCases(OAUTH_CASES, "./oauth-failures.txt");
