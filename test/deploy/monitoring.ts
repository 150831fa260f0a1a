/** Reads the alerts and the dashboard in `deploy/monitoring/`. */
import { parse } from "yaml";
import { textOf } from "./files.ts";

/** A query in PromQL, and where it is. */
export interface Query {
  readonly name: string;
  readonly query: string;
}

/** An alert of Prometheus. */
export interface AlertRule {
  readonly alert: string;
  readonly expr: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly annotations: Readonly<Record<string, string>>;
}

export function alertRules(): readonly AlertRule[] {
  const { groups } = parse(textOf("monitoring/alerts.yaml")) as {
    readonly groups: readonly { readonly rules: readonly AlertRule[] }[];
  };
  return groups.flatMap(({ rules }) => rules);
}

interface Dashboard {
  readonly panels: readonly {
    readonly id: number;
    readonly title: string;
    readonly gridPos: Readonly<Record<"x" | "y" | "w" | "h", number>>;
    readonly targets?: readonly { readonly expr: string; readonly legendFormat: string }[];
  }[];
  readonly templating: {
    readonly list: readonly { readonly name: string; readonly query: { readonly query: string } }[];
  };
}

export function dashboard(): Dashboard {
  return JSON.parse(textOf("monitoring/grafana/gateway.json"));
}

/** Returns the queries of all panels. */
export function dashboardQueries(): readonly Query[] {
  return dashboard().panels.flatMap(({ title, targets = [] }) =>
    targets.map(({ expr }, index) => ({ name: `panel ${title} ${index + 1}`, query: expr })),
  );
}

/** Returns the metrics and labels whose values are the choices of the variables. */
export function variableQueries(): readonly { readonly metric: string; readonly label: string }[] {
  return dashboard().templating.list.map(({ query: { query } }) => {
    const [, metric = "", label = ""] = /^label_values\((.*), (\w+)\)$/.exec(query) ?? [];
    return { metric, label };
  });
}
