import { inspect } from "node:util";

const HIDDEN = "[secret]";

/**
 * A value that must not be printed: it appears as `[secret]` in string conversion, JSON and util.inspect, so
 * that it cannot leak into a log with the object that holds it. `reveal` returns the value, for sending it.
 */
export class Secret {
  // biome-ignore lint/plugin: a private field of TypeScript would be visible among the property descriptors
  readonly #value: string;

  constructor(value: string) {
    this.#value = value;
  }

  /** Wraps a value that may already be a secret. */
  static of(value: string | Secret): Secret {
    return value instanceof Secret ? value : new Secret(value);
  }

  /** Returns the value itself. */
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
