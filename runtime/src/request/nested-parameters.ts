import { isJsonObject, type JsonValue, NumberText } from "connect-rest-codec/internal";
import { invalidParameter, type ValueProblem } from "./invalid-value.ts";
import { EMPTY, untellable } from "./untellable.ts";

/** The notation of lists below a parameter: `a[0]=x`, or `a[]=x`. */
export type NestedListStyle = "indexed" | "brackets";

/** A parameter whose value is neither an object nor a list. */
export type NestedParameter = readonly [name: string, value: string | number | bigint | boolean];

/**
 * Converts a JSON value to parameters with brackets: `items[0][price]=1`, `metadata[key]=value`. An empty
 * message has no parameters, like an unset message.
 *
 * @param place the kind of parameters, for errors
 * @throws ConnectError INVALID_ARGUMENT for values that would be read differently: a key that is empty or has
 *   a bracket, null, an empty item or entry, and with `brackets` an item that would be read as a part of the
 *   previous item
 */
export function nestedParameters(
  name: string,
  value: JsonValue,
  lists: NestedListStyle,
  place: string,
): NestedParameter[] {
  const fault = (problem: ValueProblem) => invalidParameter(name, place, problem);
  return [...below(name, value, lists, fault)];
}

type Fault = (problem: ValueProblem) => Error;

function* below(
  name: string,
  value: JsonValue,
  lists: NestedListStyle,
  fault: Fault,
): Generator<NestedParameter> {
  if (Array.isArray(value)) {
    yield* itemsOf(name, value, lists, fault);
  } else if (isJsonObject(value)) {
    const problem = untellable(value);
    if (problem !== undefined) throw fault(problem);
    for (const [key, item] of Object.entries(value)) {
      if (item === undefined) continue;
      if (key === "" || /[[\]]/.test(key)) throw fault(KEY);
      yield* below(`${name}[${key}]`, item, lists, fault);
    }
  } else if (value === null) {
    throw fault(NULL);
  } else {
    yield [name, value instanceof NumberText ? value.source : (value as NestedParameter[1])];
  }
}

function* itemsOf(
  name: string,
  items: readonly JsonValue[],
  lists: NestedListStyle,
  fault: Fault,
): Generator<NestedParameter> {
  const problem = untellable(items);
  if (problem !== undefined) throw fault(problem);
  let before: readonly NestedParameter[] | undefined;
  for (const [index, item] of items.entries()) {
    const parameters = [...below(`${name}[${lists === "indexed" ? index : ""}]`, item, lists, fault)];
    if (parameters.length === 0) throw fault(EMPTY);
    if (lists === "brackets" && typeof item === "object") checkStart(name, parameters, before, fault);
    before = parameters;
    yield* parameters;
  }
}

/**
 * Checks the start of an item. Receivers begin a new item at a name that the current item already contains.
 */
function checkStart(
  name: string,
  [first]: readonly NestedParameter[],
  before: readonly NestedParameter[] | undefined,
  fault: Fault,
): void {
  const step = first?.[0].slice(name.length + "[]".length) ?? "";
  if (step.startsWith("[]")) throw fault(LIST_IN_LIST);
  if (before === undefined) return;
  if (step.includes("[]") || !before.some(([other]) => other === first?.[0])) throw fault(NO_START);
}

const KEY: ValueProblem = {
  problem: "a key is empty or contains a bracket, which delimits keys",
  remedy: "send keys without brackets",
};

const NULL: ValueProblem = { problem: "has a null, which has no parameter", remedy: "leave it out" };

const LIST_IN_LIST: ValueProblem = {
  problem: "has a list in a list, which has no names with `[]`",
  remedy: "send one list",
};

const NO_START: ValueProblem = {
  problem:
    "has an item that does not begin with a field of the item before it, and would be read as a part of that",
  remedy: "set the same fields in all items",
};
