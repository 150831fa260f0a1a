/** Tests that the common gRPC clients read every rejection correctly. */
import { findTrailerError } from "@connectrpc/connect/protocol-grpc";
import { ErrorInfoSchema, RetryInfoSchema } from "connect-rest-runtime/gen/google/rpc/error_details_pb.js";
import { expect, test } from "vitest";
import type { ClientResult } from "./call.ts";
import { callAll, PREPARE } from "./programs.ts";
import { ATTEMPTS, type ClientName, REFUSALS, type Rejection } from "./rejections.ts";
import { startServers } from "./servers.ts";

/** The time for the first download and build, on a slow machine. */
const TIMEOUT_MS = 600_000;

/** Returns the comparable parts of a result. */
function read({ name, code, message, details, responses }: ClientResult) {
  const trailers = new Headers({ "grpc-status": String(code), "grpc-status-details-bin": details });
  const status = details === "" ? undefined : findTrailerError(trailers);
  return {
    name,
    code,
    responses,
    message,
    isConsistent: status === undefined || (status.code === code && status.rawMessage === message),
    reason: status?.findDetails(ErrorInfoSchema)[0]?.reason,
    hasRetryInfo: status?.findDetails(RetryInfoSchema)[0] !== undefined,
  };
}

function expected({ name, code, responses = 0, text, reason, hasRetryInfo = false }: Rejection) {
  const outcome = { name, code, responses, hasRetryInfo, isConsistent: true };
  if (text === undefined) return expect.objectContaining(outcome);
  const message = typeof text === "string" ? expect.stringContaining(text) : expect.stringMatching(text);
  return { ...outcome, message, reason };
}

/** Returns the number of requests that the calls of these rows send to the overloaded server. */
function attemptsOf(rows: readonly Rejection[]): number {
  const asked = rows.filter(({ on }) => on === "overloaded");
  return asked.reduce((sum, { config }) => sum + (config === undefined ? 1 : ATTEMPTS), 0);
}

test.for(Object.keys(PREPARE) as ClientName[])(
  "%s reads the code, the text and the details of every rejection",
  { timeout: TIMEOUT_MS },
  async (client, { skip }) => {
    const program = await PREPARE[client]();
    skip(program.problem !== undefined, program.problem);
    const rows = REFUSALS.filter(({ clients }) => clients?.includes(client) ?? true);
    const servers = await startServers();
    try {
      const calls = rows.map(({ on, ...call }) => ({ ...call, target: servers.targets[on] }));
      const before = await servers.overloads();
      const results = await callAll(program, calls);
      expect(results.map(read)).toEqual(rows.map(expected));
      // The client must have retried every rejection.
      expect((await servers.overloads()) - before).toBe(attemptsOf(rows));
    } finally {
      await servers.close();
    }
  },
);
