import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { Case } from "./case.ts";
import { type Outcome, outcomeOf } from "./outcome.ts";
import { type BlogWorld, startBlogWorld, WAYS } from "./world.ts";

const GATEWAY_WAYS = WAYS.filter((way) => way !== "in-process");

/**
 * Runs cases by every protocol through the gateway, and in-process. Compares their failures with a committed
 * table, which lists the endpoint, the case, and the RPC code, reason and text of each failure.
 */
export function runCases(cases: readonly Case[], table: string): void {
  let world: BlogWorld;
  beforeAll(async () => {
    world = await startBlogWorld();
  });
  afterAll(() => world.close());

  const rows: string[] = [];
  const byEndpoint = Map.groupBy(cases, ({ endpoint }) => endpoint);
  describe.each([...byEndpoint])("%s", (_, own) => {
    test.each(own)("$name", async (each) => {
      const inProcess = await outcomeOf(each, "in-process", world);
      const requests = world.sandbox.received.total;
      const byGateway: Outcome[] = [];
      for (const way of GATEWAY_WAYS) {
        byGateway.push(await outcomeOf(each, way, world));
        const expected = each.kind === "rejected" ? 0 : requests;
        expect([way, world.sandbox.received.total]).toEqual([way, expected]);
      }
      const [first = inProcess] = byGateway;
      if (each.kind === "answer") {
        for (const outcome of [inProcess, ...byGateway]) {
          expect(outcome).toMatchObject({ answer: each.answer });
        }
        return;
      }
      expect(byGateway).toEqual(byGateway.map(() => first));
      if (each.kind === "failure") expect(inProcess).toEqual(first);
      expect(first).not.toHaveProperty("answer");
      rows.push(rowOf(each, first, inProcess));
    });
  });

  test("the failures match the table", async () => {
    await expect(tableOf(rows)).toMatchFileSnapshot(table);
  });
}

function rowOf({ endpoint, name, kind }: Case, byGateway: Outcome, inProcess: Outcome): string {
  const beyond = kind === "rejected" ? cell(inProcess) : "the same";
  return `| ${endpoint} | ${name} | ${cell(byGateway)} | ${beyond} |`;
}

function cell(outcome: Outcome): string {
  if ("answer" in outcome) return "it is answered";
  const { code, reason, text } = outcome;
  return `${code}${reason === "" ? "" : ` ${reason}`}: ${text.replaceAll("|", "\\|").replaceAll("\n", " ")}`;
}

function tableOf(rows: readonly string[]): string {
  return `${[
    "What callers are told, case by case: RPC code, reason and text, through the gateway, and in-process, where requests",
    "are not checked before they are sent. Written and checked by the tests beside this file.",
    "",
    "| Endpoint | Case | Through the gateway | In-process |",
    "| --- | --- | --- | --- |",
    ...rows,
  ].join("\n")}\n`;
}
