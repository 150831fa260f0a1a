/** A member of a list. While it is in a list, it links to its neighbours. */
export interface Linked<T> {
  // biome-ignore lint/plugin: changes with the list
  before: T | undefined;
  // biome-ignore lint/plugin: changes with the list
  behind: T | undefined;
}

/**
 * A list for members that are added and removed quickly. A Set would leak memory: once V8 promotes the Set's
 * old tables, they retain every later member until the next full garbage collection.
 */
export class LinkedList<T extends Linked<T>> {
  private head: T | undefined;
  private tail: T | undefined;

  get first(): T | undefined {
    return this.head;
  }

  /** Adds a member, which must not be in any list. */
  push(member: T): void {
    member.before = this.tail;
    if (this.tail === undefined) {
      this.head = member;
    } else {
      this.tail.behind = member;
    }
    this.tail = member;
  }

  /** Removes a member, which must be in this list. */
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
    // otherwise, once V8 has promoted the removed member, the member would retain its former neighbours
    member.before = undefined;
    member.behind = undefined;
  }
}
