/** What can be in a list: it knows its neighbours, and has none while it is in no list. */
export interface Linked<T> {
  // biome-ignore lint/plugin: changes with the list
  before: T | undefined;
  // biome-ignore lint/plugin: changes with the list
  behind: T | undefined;
}

/**
 * A list whose members come and go quickly. A Set would do the same, but for the memory: its tables, once
 * they are old, keep all that ever were in a later one until the next collection of everything.
 */
export class LinkedList<T extends Linked<T>> {
  private head: T | undefined;
  private tail: T | undefined;

  get first(): T | undefined {
    return this.head;
  }

  /** Adds one that is in no list. */
  push(member: T): void {
    member.before = this.tail;
    if (this.tail === undefined) {
      this.head = member;
    } else {
      this.tail.behind = member;
    }
    this.tail = member;
  }

  /** Removes one that is in this list. */
  remove(member: T): void {
    const { before, behind } = member;
    if (before === undefined) {
      this.head = behind;
    } else {
      before.behind = behind;
    }
    if (behind === undefined) {
      this.tail = before;
    } else {
      behind.before = before;
    }
    // it may be old, and would keep its neighbours
    member.before = undefined;
    member.behind = undefined;
  }
}
