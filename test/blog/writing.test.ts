import { WRITING_CASES } from "./cases/writing.ts";
import { runCases } from "./run.ts";

runCases(WRITING_CASES, "./writing-failures.txt");
