import { runCases } from "../blog/run.ts";
import { FILTER_CASES } from "./cases/filters.ts";

runCases(FILTER_CASES, "./filters-failures.txt");
