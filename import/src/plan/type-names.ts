import type { Lock } from "../lock/lock.ts";
import { Scope } from "../names/scope.ts";
import { pascal, wordsOf } from "../names/words.ts";
import type { Schema } from "../normalize/schema.ts";
import type { Message } from "../proto/model.ts";
import type { Spot } from "./context.ts";

/** The maximum length of a name. Longer names are cut at a word. */
const MAX_LENGTH = 100;

/**
 * Names messages and enums. The type of a named schema is in the package; any other type is nested in the
 * message that uses it.
 */
export class TypeNames {
  private readonly lock: Lock;
  private readonly topLevel: Scope;
  private readonly nested = new Map<Message, Scope>();
  private readonly held: ReadonlySet<string>;
  /** The first message that used each schema. */
  private readonly roots = new Map<string, Message>();

  constructor(lock: Lock) {
    this.lock = lock;
    this.held = new Set(lock.givenNames());
    this.topLevel = new Scope(undefined, this.held);
  }

  /**
   * Returns the identity of the type of a schema. A schema without a name is a separate type in each message
   * that uses it.
   */
  identity(schema: Pick<Schema, "key" | "name" | "notes">, { root }: Spot): string {
    if (schema.name !== undefined || root === undefined) return schema.key;
    const first = this.roots.get(schema.key) ?? root;
    this.roots.set(schema.key, first);
    return first === root ? schema.key : `${schema.key}@${root.name}`;
  }

  /** Reserves a name of the package, such as the name of a service or request, so that no schema gets it. */
  reserve(name: string): void {
    this.topLevel.take(name);
  }

  isTaken(name: string): boolean {
    return this.topLevel.isTaken(name);
  }

  give(
    schema: Pick<Schema, "key" | "name" | "notes">,
    spot: Spot,
  ): { name: string; parent: Message | undefined } {
    if (schema.name !== undefined) return this.forPackage(schema.key, wordsOf(schema.name));
    if (spot.root === undefined) return this.forPackage(schema.key, spot.words);
    return this.within(spot.root, schema.key, spot.words);
  }

  forPackage(key: string, words: readonly string[]): { name: string; parent: undefined } {
    const locked = this.lock.nameOf(key);
    if (locked !== undefined && !locked.includes(".") && !this.topLevel.isTaken(locked)) {
      return { name: this.topLevel.take(locked), parent: undefined };
    }
    const name = cut(words);
    const given = this.topLevel.give(
      name,
      ...(/(?:Request|Response|Service)$/.test(name) ? [`${name}Body`] : []),
    );
    this.lock.keepName(key, given);
    return { name: given, parent: undefined };
  }

  private heldWithin(root: Message): ReadonlySet<string> {
    const prefix = `${root.name}.`;
    const names = [...this.held].filter((name) => name.startsWith(prefix));
    return new Set(names.map((name) => name.slice(prefix.length)));
  }

  private within(root: Message, key: string, words: readonly string[]): { name: string; parent: Message } {
    const scope = this.nested.get(root) ?? new Scope(undefined, this.heldWithin(root));
    this.nested.set(root, scope);
    const locked = this.lock.nameOf(key);
    const prefix = `${root.name}.`;
    if (locked?.startsWith(prefix) === true && !scope.isTaken(locked.slice(prefix.length))) {
      return { name: scope.take(locked.slice(prefix.length)), parent: root };
    }
    const name = scope.give(cut(words));
    this.lock.keepName(key, `${prefix}${name}`);
    return { name, parent: root };
  }
}

function cut(words: readonly string[]): string {
  let kept = [...words];
  while (kept.length > 1 && pascal(kept).length > MAX_LENGTH) kept = kept.slice(1);
  return pascal(kept).slice(0, MAX_LENGTH);
}
