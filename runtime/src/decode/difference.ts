/**
 * One place in a response that was not as its message declares.
 *
 * `coerced`: the value was understood all the same, e.g. a number written as a string. `dropped`: it was not,
 * and is left out. `unknown`: a key that no field names, where the message does not collect such keys.
 */
export interface Drift {
  /** JSON path from the payload, e.g. `posts[3].blog.theme`. */
  readonly path: string;
  /** What the message declares, e.g. `int64`, `object`, `one of PostType`. */
  readonly expected: string;
  /** What came, as a JSON type, or a short scalar, e.g. `array`, `string "blog"`. */
  readonly got: string;
  readonly kind: "coerced" | "dropped" | "unknown";
}
