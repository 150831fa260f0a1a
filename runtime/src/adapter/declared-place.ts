import type { DescMessage } from "@bufbuild/protobuf";
import {
  joinedPath,
  knownKeys,
  MessageTable,
  reportedSteps,
  stepsOf,
  stepText,
} from "connect-rest-codec/internal";
import type { AnyMethodAdapter } from "./adapter.ts";

const known = new WeakMap<AnyMethodAdapter, ReadonlySet<string>>();

/**
 * Returns the path to a difference without indexes, and with `*` in place of the first key that the upstream
 * chose and everything after it, e.g. `posts[].*` for `posts[3].surprise`.
 */
export function declaredPlace(adapter: AnyMethodAdapter, path: string): string {
  const names = namesOf(adapter);
  let declared = "";
  for (const { key, isCut, isPlain } of reportedSteps(path)) {
    const isRoot = isPlain && key === ROOT && declared === "";
    if (typeof key === "number") {
      declared += "[]";
    } else if (isRoot || (isPlain && key.split(" or ").every((each) => names.has(each)))) {
      declared = joinedPath(declared, key);
    } else if (!isPlain && !isCut && names.has(key)) {
      declared = joinedPath(declared, stepText(key));
    } else {
      return joinedPath(declared, "*");
    }
  }
  return declared;
}

/** The name of the payload's root in a path. */
const ROOT = "(root)";

function namesOf(adapter: AnyMethodAdapter): ReadonlySet<string> {
  const before = known.get(adapter);
  if (before !== undefined) return before;
  const { method, ...declared } = adapter;
  const names = new Names();
  names.ofMessage(method.output);
  names.within(declared);
  names.all.delete("");
  known.set(adapter, names.all);
  return names.all;
}

/** Collects the names in tables, rules and messages. */
class Names {
  readonly all = new Set<string>();
  private readonly seen = new Set<object>();

  ofMessage(message: DescMessage): void {
    if (this.isSeen(message)) return;
    for (const { name, jsonName, message: inner } of message.fields) {
      this.all.add(name).add(jsonName);
      if (inner !== undefined) this.ofMessage(inner);
    }
  }

  within(value: unknown): void {
    if (typeof value === "string") {
      for (const name of stepsOf(value)) this.all.add(name);
    } else if (typeof value === "object" && value !== null && !this.isSeen(value)) {
      if (value instanceof MessageTable) {
        for (const key of knownKeys(value.entries)) this.all.add(key);
        this.within(value.entries);
      } else {
        for (const each of Object.values(value)) this.within(each);
      }
    }
  }

  private isSeen(value: object): boolean {
    const isSeen = this.seen.has(value);
    this.seen.add(value);
    return isSeen;
  }
}
