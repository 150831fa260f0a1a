import { ConnectError, createClient } from "@connectrpc/connect";
import { type DifferenceClass, type DifferenceReport, reasonOf } from "connect-rest-runtime";
import { ERRORS } from "connect-rest-runtime/internal";
import { expect, test } from "vitest";
import { DifferenceLog } from "../../gateway/src/log/difference-log.ts";
import { createLogger } from "../../gateway/src/log/logger.ts";
import { Metrics } from "../../gateway/src/metrics/metrics.ts";
import { FidelityService } from "../gen/rules/v1/empty_pb.ts";
import { FidelityServiceRest } from "../gen/rules/v1/empty_rest.ts";
import { start } from "../rules/world.ts";
import { countingTransport } from "./on-difference.ts";
import { page } from "./page.ts";
import { ROWS, type Row } from "./rows.ts";

/** The log levels of the first sighting of a difference. */
const FIRST_LEVELS: Readonly<Record<DifferenceClass, string>> = {
  additional: "info",
  converted: "info",
  lost: "warn",
};

/** Returns the result of a call: the message or the items, the error, and the reported differences. */
async function called({ call, body }: Row, strict: boolean) {
  const reports: DifferenceReport[] = [];
  const { client } = await start(
    FidelityService,
    FidelityServiceRest,
    { body },
    { strict, onDifference: (report) => reports.push(report) },
  );
  const items: unknown[] = [];
  try {
    if (call !== "list") return { got: await client.getCargo({}), reports, error: undefined };
    for await (const item of client.listCargo({})) items.push(item);
    return { got: items, reports, error: undefined };
  } catch (thrown) {
    return { got: items, reports, error: ConnectError.from(thrown) };
  }
}

function isFailure(outcome: Row["outcome"]): outcome is "RESPONSE_SHAPE" | "ERROR_IN_RESPONSE" {
  return outcome === "RESPONSE_SHAPE" || outcome === "ERROR_IN_RESPONSE";
}

test.each(ROWS)("$sends: $outcome", async (row) => {
  const { got, reports, error } = await called(row, false);
  const found = reports.flatMap(({ differences }) => differences);
  if (row.outcome === "ERROR_IN_RESPONSE") {
    expect([error && reasonOf(error), error?.rawMessage, found]).toEqual([row.outcome, row.text, []]);
    return;
  }
  if (row.outcome === "RESPONSE_SHAPE") {
    expect(error && reasonOf(error)).toBe("RESPONSE_SHAPE");
    expect(error?.code).toBe(ERRORS.RESPONSE_SHAPE.code);
    expect(error?.rawMessage).toContain(`: ${row.path}: expected `);
    expect(found).toEqual([]);
    return;
  }
  expect(error).toBeUndefined();
  expect(got).toMatchObject(row.message as object);
  expect(found.map((each) => [each.class, each.path])).toEqual(
    row.outcome === "none" ? [] : [[row.outcome, row.path]],
  );
});

test.each(ROWS)("in strict mode, the outcome of $sends is $outcome", async (row) => {
  const { error } = await called(row, true);
  const reasons = { none: undefined, additional: undefined, converted: undefined, lost: "RESPONSE_DRIFT" };
  expect(error && reasonOf(error)).toBe(isFailure(row.outcome) ? row.outcome : reasons[row.outcome]);
});

test.each(ROWS)("in the log and metrics of a gateway, the outcome of $sends is $outcome", async (row) => {
  const lines: Record<string, unknown>[] = [];
  const seen = new DifferenceLog(createLogger("debug", { write: (line) => lines.push(JSON.parse(line)) }));
  const metrics = new Metrics();
  for (const report of (await called(row, false)).reports) {
    seen.record(report);
    metrics.differed(report);
  }
  const { body } = await metrics.render();
  const counted = body.split("\n").filter((line) => line.startsWith("connect_rest_differences_total{"));
  if (row.outcome === "none" || isFailure(row.outcome)) {
    expect([lines, counted]).toEqual([[], []]);
    return;
  }
  expect(lines).toMatchObject([
    { level: FIRST_LEVELS[row.outcome], first: true, msg: "difference", class: row.outcome, path: row.path },
  ]);
  expect(counted).toHaveLength(1);
  expect(counted[0]).toMatch(new RegExp(`class="${row.outcome}"\\} 1$`));
});

test("the page's example counts lost values", async () => {
  const { origin } = await start(FidelityService, FidelityServiceRest, {
    body: '{"response":{"weight":"heavy","id":5}}',
  });
  const lost = new Map<string, number>();
  const transport = countingTransport(FidelityServiceRest, origin, lost);
  await createClient(FidelityService, transport).getCargo({});
  await transport.close();
  expect([...lost]).toEqual([['GetCargo weight: expected int32, got string "heavy"', 1]]);
});

test("the page has a row for each difference, and is up to date (run with -u to update it)", async () => {
  await expect(page(ROWS)).toMatchFileSnapshot("../../docs/fidelity.md");
});
