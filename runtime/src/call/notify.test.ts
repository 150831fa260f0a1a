import { afterEach, expect, test, vi } from "vitest";
import { createRest, type Rest } from "../rest.ts";
import { httpUpstream, sendJson, type TestServer } from "../testing/servers.ts";
import { thingAdapter, thingRequest, thingService } from "../testing/thing-service.ts";
import { notify } from "./notify.ts";
import type { RestOptions } from "./options.ts";

const warnings = vi.spyOn(process, "emitWarning").mockImplementation(() => undefined);
let server: TestServer | undefined;
let rest: Rest | undefined;
afterEach(async () => {
  warnings.mockClear();
  await rest?.close();
  await server?.[Symbol.asyncDispose]();
});

// each call returns another listener, since a warning is emitted once per listener
const throws = () => () => {
  throw new Error("listener");
};
const rejects = () => () => Promise.reject(new Error("listener"));

/** Listeners that fail in different ways. */
const LISTENERS: ReadonlyArray<readonly [name: string, options: Partial<RestOptions>]> = [
  ["onDifference", { onDifference: throws() }],
  ["onDifference", { onDifference: rejects() }],
  ["onCall", { onCall: throws() }],
  ["onCall", { onCall: rejects() }],
  ["onRequest", { onRequest: throws() }],
  ["onRequest", { onRequest: rejects() as never }],
  ["onEnd", { onRequest: () => ({ onEnd: throws() }) }],
  ["onEnd", { onRequest: () => ({ onEnd: rejects() }) }],
];

test.each(LISTENERS)(
  "a listener %s that fails does not affect a call, and causes one warning",
  async (name, options) => {
    server = await httpUpstream((_request, response) => sendJson(response, { id: "no number" }));
    rest = createRest({
      adapters: [thingService()],
      upstreams: { things: { baseUrl: server.url, retry: false } },
      ...options,
    });
    await rest.call(thingAdapter(), thingRequest({ name: "a" }));
    await rest.call(thingAdapter(), thingRequest({ name: "a" }));
    expect(warnings.mock.calls.map(([text]) => text)).toEqual([
      `${name} failed; its further failures are not reported`,
    ]);
    expect(warnings.mock.calls[0]?.[1]).toMatchObject({
      code: "LISTENER_FAILED",
      detail: expect.stringContaining("Error: listener"),
    });
  },
);

test("notify returns the result of a listener, and accepts a missing listener", () => {
  expect(notify("a", (value: number) => value + 1, 1)).toBe(2);
  expect(notify("a", undefined, 1)).toBeUndefined();
  expect(warnings).not.toHaveBeenCalled();
});
