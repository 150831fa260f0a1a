/**
 * Tests successful responses without a body. A write that succeeded must never fail because its response has
 * no body.
 */
import fc from "fast-check";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { RestRequest } from "../adapter/rest-request.ts";
import { reasonOf } from "../errors/rest-error.ts";
import { RequestWriter } from "../request/request-writer.ts";
import { createRest } from "../rest.ts";
import { failureOf } from "../testing/failure.ts";
import { rawUpstream, type TestServer } from "../testing/servers.ts";
import { getThing, thingRequest, thingService } from "../testing/thing-service.ts";
import type { DifferenceReport } from "./options.ts";

/** The ways to frame an empty or blank body (RFC 9112 section 6). */
const FRAMES: Readonly<Record<string, string>> = {
  "a length of 0": "content-length: 0\r\n\r\n",
  "no chunk": "transfer-encoding: chunked\r\n\r\n0\r\n\r\n",
  "the end of the connection": "connection: close\r\n\r\n",
  "one space": "content-length: 1\r\n\r\n ",
};

let server: TestServer;
let response = "";

beforeAll(async () => {
  server = await rawUpstream((socket) => socket.end(response));
});

afterAll(() => server[Symbol.asyncDispose]());

function request(verb: RestRequest["verb"]): () => RequestWriter {
  return () => new RequestWriter(verb, "/things");
}

test("a response without a body is read as an empty message after a write, with a report unless a rule allows it, and is an error after a read", async () => {
  const drawn = fc.record({
    verb: fc.constantFrom<RestRequest["verb"]>("GET", "POST", "PUT", "PATCH", "DELETE"),
    status: fc.constantFrom(200, 201, 202, 203, 299),
    frame: fc.constantFrom(...Object.keys(FRAMES)),
    type: fc.constantFrom("", "content-type: application/json\r\n", "content-type: text/html\r\n"),
    isAllowed: fc.boolean(),
    envelope: fc.constantFrom([], ["response"], ["", "data"]),
    strict: fc.boolean(),
  });
  await fc.assert(
    fc.asyncProperty(drawn, async ({ verb, status, frame, type, isAllowed, envelope, strict }) => {
      response = `HTTP/1.1 ${status} Fine\r\n${type}${FRAMES[frame]}`;
      const reports: DifferenceReport[] = [];
      const rest = createRest({
        adapters: [
          thingService({
            request: request(verb),
            rules: { envelope: { payload: envelope, ...(isAllowed && { empty: ["empty_body"] }) } },
          }),
        ],
        upstreams: { things: { baseUrl: server.url, retry: false } },
        strict,
        onDifference: (report) => reports.push(report),
      });
      const call = rest.transport.unary(
        getThing,
        undefined,
        undefined,
        undefined,
        thingRequest({ name: "a" }),
      );
      const differences = () => reports.flatMap((each) => each.differences);
      if (verb === "GET" && !isAllowed) {
        expect(reasonOf(await failureOf(call))).toBe("RESPONSE_SHAPE");
        expect(differences()).toEqual([]);
      } else {
        expect((await call).message).toMatchObject({ id: 0n, name: "", status });
        expect(differences()).toEqual(
          isAllowed ? [] : [{ path: "(root)", expected: "a body", got: "nothing", class: "lost" }],
        );
      }
      await rest.close();
    }),
    { numRuns: 100 },
  );
});
