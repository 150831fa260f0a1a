import { isJsonObject, type JsonValue } from "./json.ts";
import { NumberText } from "./number-text.ts";
import { rawJSON } from "./raw.ts";

/** Writes JSON (RFC 8259) at any depth. A bigint becomes a bare, exact number. */
export function stringifyJson(value: JsonValue): string {
  try {
    return JSON.stringify(value);
  } catch (error) {
    // TypeError: the value contains a bigint; searching for one in advance would cost more than a rare second
    // attempt
    if (error instanceof TypeError) return exactText(value);
    if (error instanceof RangeError) return deepText(value);
    throw error;
  }
}

function exactText(value: JsonValue): string {
  try {
    return JSON.stringify(value, exactly);
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    return deepText(value);
  }
}

function exactly(_key: string, value: unknown): unknown {
  return typeof value === "bigint" ? rawJSON(String(value)) : value;
}

/** An array or object in progress. */
type Open = {
  readonly close: "]" | "}";
  readonly parts: Iterator<readonly [key: string, value: JsonValue | undefined]>;
  isFirst: boolean;
};

/** Writes JSON without recursion, for values nested thousands of levels deep. */
function deepText(root: JsonValue): string {
  const pieces: string[] = [];
  const stack: Open[] = [];
  const write = (value: JsonValue): void => {
    if (Array.isArray(value)) {
      pieces.push("[");
      stack.push({ close: "]", parts: itemsOf(value), isFirst: true });
    } else if (isJsonObject(value)) {
      pieces.push("{");
      stack.push({ close: "}", parts: Object.entries(value).values(), isFirst: true });
    } else {
      pieces.push(scalarText(value));
    }
  };
  write(root);
  for (let open = stack.at(-1); open !== undefined; open = stack.at(-1)) {
    const { value: part, done } = open.parts.next();
    if (done === true) {
      pieces.push(open.close);
      stack.pop();
      continue;
    }
    const [key, value] = part;
    if (value === undefined) continue;
    pieces.push(open.isFirst ? "" : ",", open.close === "}" ? `${JSON.stringify(key)}:` : "");
    open.isFirst = false;
    write(value);
  }
  return pieces.join("");
}

function* itemsOf(items: readonly JsonValue[]): Generator<readonly [string, JsonValue], undefined> {
  for (const item of items) yield ["", item];
  return undefined;
}

function scalarText(value: JsonValue): string {
  if (typeof value === "bigint") return String(value);
  return value instanceof NumberText ? value.source : JSON.stringify(value);
}
