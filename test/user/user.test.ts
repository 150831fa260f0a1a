import { runCases } from "../blog/run.ts";
import { USER_CASES } from "./cases/user.ts";

runCases(USER_CASES, "./user-failures.txt");
