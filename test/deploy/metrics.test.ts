import { readFileSync } from "node:fs";
import path from "node:path";
import { Code } from "@connectrpc/connect";
import { DIFFERENCE_CLASSES } from "connect-rest-runtime/internal";
import fc from "fast-check";
import { beforeAll, expect, test } from "vitest";
import { parse } from "yaml";
import { allMetrics, type Exposition, parseExposition } from "./exposition.ts";
import { ROOT, textOf } from "./files.ts";
import { alertRules, dashboard, dashboardQueries, type Query, variableQueries } from "./monitoring.ts";
import { groupingsOf, isTargetLabel, readQuery } from "./promql.ts";

/** Prometheus itself adds this metric for each target. */
const UP = "up";

let exported: Exposition;
beforeAll(async () => {
  exported = parseExposition(await allMetrics());
});

const rules = alertRules();
const queries: readonly Query[] = [
  ...rules.map(({ alert, expr }) => ({ name: `alert ${alert}`, query: expr })),
  ...dashboardQueries(),
];

/** Returns the metrics and labels of a query that no gateway exports. */
function unknownIn(query: string): readonly string[] {
  return readQuery(query).flatMap(({ metric, matched, grouped }) => {
    const labels = [...matched, ...grouped];
    if (metric === UP) return labels.filter((label) => !isTargetLabel(label));
    const known = exported.get(metric);
    if (known === undefined) return [metric];
    return labels
      .filter((label) => !known.has(label) && !isTargetLabel(label))
      .map((label) => `${metric}{${label}}`);
  });
}

test.each(queries)(
  "$name: Prometheus can parse the query, and the gateway exports its metrics and labels",
  ({ query }) => {
    expect(readQuery(query)).not.toEqual([]);
    expect(unknownIn(query)).toEqual([]);
  },
);

test("a query with a renamed metric, a renamed label or a syntax error is found", () => {
  const selected = [...new Set(queries.flatMap(({ query }) => readQuery(query).map(({ metric }) => metric)))];
  fc.assert(
    fc.property(fc.constantFrom(...queries), fc.constantFrom(...selected), ({ query }, metric) => {
      fc.pre(query.includes(metric) && metric !== UP);
      expect(unknownIn(query.replaceAll(metric, `${metric}_renamed`))).not.toEqual([]);
      expect(() => readQuery(`${query} )`)).toThrow("syntax error");
    }),
  );
  expect(unknownIn("sum by (upstrem) (connect_rest_breaker_state)")).toEqual([
    "connect_rest_breaker_state{upstrem}",
  ]);
  expect(unknownIn('connect_rest_breaker_state{upstrem="blog"}')).toEqual([
    "connect_rest_breaker_state{upstrem}",
  ]);
});

test("matchers name existing codes and classes of differences", () => {
  const codes = Object.values(Code)
    .filter((code) => typeof code === "string")
    .map((code) => code.replace(/(?<=[a-z])(?=[A-Z])/g, "_").toLowerCase());
  const valuesOf = (label: string) =>
    queries.flatMap(({ query }) => {
      return [...query.matchAll(new RegExp(`\\b${label}=~?"([^"]*)"`, "g"))].flatMap(([, value = ""]) =>
        value.split("|"),
      );
    });
  expect(valuesOf("code")).not.toEqual([]);
  expect(valuesOf("code").filter((value) => !codes.includes(value))).toEqual([]);
  expect(valuesOf("class").filter((value) => !DIFFERENCE_CLASSES.some((each) => each === value))).toEqual([]);
});

test.each(rules)("alert $alert: its texts name labels of its result, and it has a severity", (rule) => {
  const { annotations, expr, labels } = rule;
  expect(Object.keys(annotations).toSorted()).toEqual(["description", "summary"]);
  expect(["critical", "warning"]).toContain(labels.severity);
  const named = [
    ...Object.values(annotations)
      .join(" ")
      .matchAll(/\$labels\.(\w+)/g),
  ].map(([, label]) => label);
  const known = expr.startsWith(UP) ? new Set(["job", "instance"]) : groupingsOf(expr);
  expect(named.filter((label) => !known.has(label ?? ""))).toEqual([]);
});

test("alerts have distinct names", () => {
  expect(new Set(rules.map(({ alert }) => alert)).size).toBe(rules.length);
});

test("the dashboard: panels do not overlap, and have distinct IDs and titles", () => {
  const { panels } = dashboard();
  expect(new Set(panels.map(({ id }) => id)).size).toBe(panels.length);
  expect(new Set(panels.map(({ title }) => title)).size).toBe(panels.length);
  const cells = panels.flatMap(({ gridPos: { x, y, w, h } }) =>
    Array.from({ length: w * h }, (_, index) => `${x + (index % w)} ${y + Math.floor(index / w)}`),
  );
  expect(new Set(cells).size).toBe(cells.length);
});

test("the dashboard: every query and legend uses declared variables and labels of the result", () => {
  const { panels, templating } = dashboard();
  const variables = new Set([...templating.list.map(({ name }) => name), "__rate_interval"]);
  for (const { expr, legendFormat } of panels.flatMap(({ targets = [] }) => targets)) {
    const used = [...expr.matchAll(/\$(\w+)/g)].map(([, name = ""]) => name);
    expect(used.filter((name) => !variables.has(name))).toEqual([]);
    const named = [...legendFormat.matchAll(/\{\{(\w+)\}\}/g)].map(([, label = ""]) => label);
    expect(named.filter((label) => !groupingsOf(expr).has(label))).toEqual([]);
  }
});

test("the dashboard: every variable reads an exported metric and label", () => {
  for (const { metric, label } of variableQueries()) {
    expect(unknownIn(`sum by (${label}) (${metric})`)).toEqual([]);
  }
});

test("the dashboard uses the provisioned data source", () => {
  const { datasources } = parse(textOf("monitoring/grafana/datasources.yaml")) as {
    readonly datasources: readonly { readonly uid: string }[];
  };
  const text = readFileSync(path.join(ROOT, "deploy/monitoring/grafana/gateway.json"), "utf8");
  const used = [...text.matchAll(/"type": "prometheus",\s*"uid": "([^"]*)"/g)].map(([, uid]) => uid);
  expect(new Set(used)).toEqual(new Set(datasources.map(({ uid }) => uid)));
});
