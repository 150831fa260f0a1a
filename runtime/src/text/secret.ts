import { inspect } from "node:util";

const HIDDEN = "[secret]";

/**
 * A value that must not be printed: it reads `[secret]` in string conversion, JSON and util.inspect, so that
 * it cannot slip into a log with the object that holds it. `reveal` gives the value, where it is sent.
 */
export class Secret {
  // biome-ignore lint/plugin: a private field of TypeScript would show among the property descriptors
  readonly #value: string;

  constructor(value: string) {
    this.#value = value;
  }

  /** A secret of a value that may be one already. */
  static of(value: string | Secret): Secret {
    return value instanceof Secret ? value : new Secret(value);
  }

  /** The value itself. */
  reveal(): string {
    return this.#value;
  }

  toString(): string {
    return HIDDEN;
  }

  toJSON(): string {
    return HIDDEN;
  }

  [inspect.custom](): string {
    return HIDDEN;
  }
}
