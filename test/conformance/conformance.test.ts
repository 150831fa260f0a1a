/**
 * Runs the public conformance suite of Connect, gRPC and gRPC-Web: https://github.com/connectrpc/conformance
 */
import { beforeAll, expect, test } from "vitest";
import { hasGo, type Installed, NO_GO } from "../support/installed.ts";
import { installSuite, runSuite } from "./suite.ts";

/** The suite takes a minute per path, and longer on a busy machine. */
const TIMEOUT_MS = 900_000;

let suite: Installed = { path: "", problem: NO_GO };
beforeAll(async () => {
  if (hasGo) suite = await installSuite();
}, TIMEOUT_MS);

/** The suite's report of an error detail whose type only this repository knows. */
const OWN_DETAIL =
  /^\t(?:; )?(?:actual error contain 1 details; expecting 0|connect error JSON: details\[0\]: could not check debug data because message type "google\.rpc\.ErrorInfo" could not be resolved: .*)$/;

test.for([
  { path: "connect", cases: 5000 },
  { path: "fast", cases: 2000 },
] as const)(
  "the conformance suite finds no failures on the $path path except the details of this product's errors",
  { timeout: TIMEOUT_MS },
  async ({ path, cases }, { skip }) => {
    skip(suite.problem !== undefined, suite.problem);
    const { succeeded, passed, failures, knownFailures } = await runSuite(suite.path, path);
    expect(succeeded, failures).toBe(true);
    expect(passed).toBeGreaterThan(cases);
    const other = knownFailures.filter((report) => {
      const [, ...lines] = report.split("\n");
      return !lines.every((line) => line.trim() === "" || OWN_DETAIL.test(line));
    });
    expect(other).toEqual([]);
  },
);
