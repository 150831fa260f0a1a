/** A list member. It links to its neighbours, and has none while it is not in a list. */
export interface Linked<T> {
  // biome-ignore lint/plugin: changes with the list
  before: T | undefined;
  // biome-ignore lint/plugin: changes with the list
  behind: T | undefined;
}

/**
 * A list for members that come and go quickly. A Set would leak memory: once its old tables are promoted,
 * they retain every later member until the next full garbage collection.
 */
export class LinkedList<T extends Linked<T>> {
  private head: T | undefined;
  private tail: T | undefined;

  get first(): T | undefined {
    return this.head;
  }

  /** Adds a member that is in no list. */
  push(member: T): void {
    member.before = this.tail;
    if (this.tail === undefined) {
      this.head = member;
    } else {
      this.tail.behind = member;
    }
    this.tail = member;
  }

  /** Removes a member of this list. */
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
    // an old member would retain its neighbours
    member.before = undefined;
    member.behind = undefined;
  }
}
