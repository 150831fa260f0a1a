import type { JsonObject, JsonValue } from "@bufbuild/protobuf";
import { isObject } from "./json.ts";
import { Address } from "./json-view.tsx";

/** The maximum number of columns. */
const MAX_COLUMNS = 8;

/** A list of objects in a response. */
export interface Rows {
  /** The key of the list; undefined for the messages of a stream. */
  readonly key: string | undefined;
  readonly rows: readonly JsonObject[];
}

/** Returns the first list of objects in a message, or all messages of a stream. */
export function rowsOf(messages: readonly JsonValue[], isStream: boolean): Rows | undefined {
  if (isStream) {
    const rows = messages.filter(isObject);
    return rows.length === 0 ? undefined : { key: undefined, rows };
  }
  const [message] = messages;
  if (!isObject(message)) return undefined;
  for (const [key, value] of Object.entries(message)) {
    if (!Array.isArray(value) || value.length === 0) continue;
    const rows = value.filter(isObject);
    if (rows.length === value.length) return { key, rows };
  }
  return undefined;
}

/** A list as a table. Columns are the keys that most rows have, values before objects. */
export function Table({ rows, label }: { rows: readonly JsonObject[]; label: string }) {
  const columns = columnsOf(rows);
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: the keyboard scrolls the table
    <div class="table" tabIndex={0} role="region" aria-label={label}>
      <table>
        <thead>
          <tr>
            {columns.map((name) => (
              <th key={name} scope="col">
                {name}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((row, index) => (
            <tr key={index}>
              {columns.map((name) => (
                <td key={name}>
                  <Cell value={row[name]} />
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

function columnsOf(rows: readonly JsonObject[]): string[] {
  const counts = new Map<string, number>();
  for (const row of rows) {
    for (const [name, value] of Object.entries(row)) {
      const weight = typeof value === "object" && value !== null ? 0.01 : 1;
      counts.set(name, (counts.get(name) ?? 0) + weight);
    }
  }
  const best = [...counts].sort(([, one], [, other]) => other - one).slice(0, MAX_COLUMNS);
  const chosen = new Set(best.map(([name]) => name));
  return [...counts.keys()].filter((name) => chosen.has(name));
}

function Cell({ value }: { value: JsonValue | undefined }) {
  if (value === undefined || value === null) return null;
  if (typeof value === "string" && /^https?:\/\//.test(value)) return <Address address={value} />;
  const text = typeof value === "object" ? JSON.stringify(value) : String(value);
  return <span title={text.length > 60 ? text.slice(0, 1000) : undefined}>{text.slice(0, 200)}</span>;
}
