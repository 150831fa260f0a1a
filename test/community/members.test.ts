import { runCases } from "../blog/run.ts";
import { MEMBER_CASES } from "./cases/members.ts";

runCases(MEMBER_CASES, "./members-failures.txt");
