import { inspect } from "node:util";

const HIDDEN = "[secret]";

/**
 * A value that must not be printed. It appears as `[secret]` in string conversions, JSON and util.inspect, so
 * that it cannot leak into a log together with the object that contains it. `reveal` returns the value, for
 * sending it.
 */
export class Secret {
  // biome-ignore lint/plugin: a private field of TypeScript would be visible among the property descriptors
  readonly #value: string;

  constructor(value: string) {
    this.#value = value;
  }

  /** Wraps a value, unless it is already wrapped. */
  static of(value: string | Secret): Secret {
    return value instanceof Secret ? value : new Secret(value);
  }

  /** Returns the wrapped value. */
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
