import type { DescMessage } from "@bufbuild/protobuf";
import { MessageTable } from "connect-rest-codec/internal";
import type { AnyMethodAdapter } from "./adapter.ts";

const known = new WeakMap<AnyMethodAdapter, ReadonlySet<string>>();

/**
 * Returns the path to a difference without indexes, and with `*` in place of the first key that the upstream
 * chose and everything after it, e.g. `posts[].*` for `posts[3].surprise`.
 */
export function declaredPlace(adapter: AnyMethodAdapter, path: string): string {
  const names = namesOf(adapter);
  const declared: string[] = [];
  for (const step of path.replace(/\[\d+\]/g, "[]").split(".")) {
    const name = step.replace(/(?:\[\])+$/, "");
    const isFirst = declared.length === 0;
    const isDeclared = name.split(" or ").every((each) => names.has(each));
    if (!isDeclared && !(isFirst && (name === "" || name === ROOT))) return [...declared, "*"].join(".");
    declared.push(step);
  }
  return declared.join(".");
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
  known.set(adapter, names.all);
  return names.all;
}

/** Collects the names and dotted paths in tables, rules and messages. */
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
      for (const name of value.split(/[.']/)) if (name !== "") this.all.add(name);
    } else if (typeof value === "object" && value !== null && !this.isSeen(value)) {
      const inner = value instanceof MessageTable ? value.entries : Object.values(value);
      for (const each of inner) this.within(each);
    }
  }

  private isSeen(value: object): boolean {
    const isSeen = this.seen.has(value);
    this.seen.add(value);
    return isSeen;
  }
}
