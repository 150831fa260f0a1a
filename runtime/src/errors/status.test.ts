import { Code } from "@connectrpc/connect";
import { expect, test } from "vitest";
import { KNOWN_STATUSES, meaningOf } from "./status.ts";

test.each<[number, Code, string]>([
  [301, Code.FailedPrecondition, "MOVED"],
  [302, Code.FailedPrecondition, "MOVED"],
  [304, Code.FailedPrecondition, "NOT_MODIFIED"],
  [305, Code.FailedPrecondition, "MOVED"],
  [399, Code.FailedPrecondition, "MOVED"],
  [400, Code.InvalidArgument, "BAD_REQUEST"],
  [401, Code.Unauthenticated, "UNAUTHORIZED"],
  [403, Code.PermissionDenied, "FORBIDDEN"],
  [404, Code.NotFound, "NOT_FOUND"],
  [408, Code.DeadlineExceeded, "REQUEST_TIMEOUT"],
  [409, Code.Aborted, "CONFLICT"],
  [410, Code.NotFound, "GONE"],
  [412, Code.FailedPrecondition, "PRECONDITION_FAILED"],
  [418, Code.FailedPrecondition, "CLIENT_ERROR"],
  [422, Code.InvalidArgument, "UNPROCESSABLE_CONTENT"],
  [429, Code.ResourceExhausted, "TOO_MANY_REQUESTS"],
  [499, Code.FailedPrecondition, "CLIENT_ERROR"],
  [500, Code.Internal, "INTERNAL_SERVER_ERROR"],
  [501, Code.Unimplemented, "NOT_IMPLEMENTED"],
  [502, Code.Unavailable, "BAD_GATEWAY"],
  [503, Code.Unavailable, "SERVICE_UNAVAILABLE"],
  [504, Code.DeadlineExceeded, "GATEWAY_TIMEOUT"],
  [505, Code.Unknown, "SERVER_ERROR"],
  [520, Code.Unavailable, "SERVER_ERROR"],
  [599, Code.Unknown, "SERVER_ERROR"],
  [999, Code.Unknown, "SERVER_ERROR"],
  [200, Code.Unknown, "ERROR_IN_RESPONSE"],
  [199, Code.Unknown, "UNEXPECTED_STATUS"],
])("status %i is mapped to the code %s and the reason %s", (status, code, reason) => {
  expect(meaningOf(status)).toMatchObject({ code, reason });
});

test("every status has a reason that is valid in google.rpc.ErrorInfo", () => {
  expect(KNOWN_STATUSES.length).toBeGreaterThan(25);
  for (let status = 100; status < 1000; status++) {
    expect(meaningOf(status).reason).toMatch(/^[A-Z][A-Z0-9_]+[A-Z0-9]$/);
  }
});
