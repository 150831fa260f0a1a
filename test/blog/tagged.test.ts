import { TAGGED_CASES } from "./cases/tagged.ts";
import { runCases } from "./run.ts";

runCases(TAGGED_CASES, "./tagged-failures.txt");
