import type { DifferenceClass } from "connect-rest-runtime";
import type { Uncovered } from "./coverage.ts";

/**
 * A difference between recordings and a description, over all samples. No part contains a value of a body.
 */
export interface Finding {
  /** E.g. `GET /v2/blog/{blog_identifier}/info`. */
  readonly operation: string;
  /** `request` for a name or value in a request. */
  readonly in: "response" | "request";
  readonly class: DifferenceClass;
  readonly path: string;
  readonly expected: string;
  /** The JSON type. */
  readonly got: string;
  /** The lengths of received strings, lists and objects. Undefined for other values. */
  readonly length?: { readonly least: number; readonly most: number };
  /** The .proto file, and the full name of the declaration. */
  readonly file: string;
  readonly declaration: string;
  /** The number of samples with the difference, and of all samples of the operation. */
  readonly count: number;
  readonly samples: number;
}

/** Returns the key by which a baseline recognizes a finding. */
export function keyOf({
  operation,
  in: place,
  class: kind,
  path,
  expected,
  got,
}: Omit<Finding, "count" | "samples">): string {
  return JSON.stringify([operation, place, kind, path, expected, got]);
}

/** The result of comparing recordings with a description. */
export interface Verification {
  readonly findings: readonly Finding[];
  /** The number of findings that exceeded the limit. */
  readonly omitted: number;
  /** The number of samples by operation. */
  readonly operations: ReadonlyMap<string, number>;
  readonly exchanges: number;
  /** The number of entries that were not compared, by reason. */
  readonly skipped: ReadonlyMap<string, number>;
  /** The number of exchanges of other hosts, by host. */
  readonly otherHosts: ReadonlyMap<string, number>;
  /** The number of exchanges that no operation describes, by verb and path without identifiers. */
  readonly unknown: ReadonlyMap<string, number>;
  /** The number of exchanges whose path fits several templates, by the names of the operations. */
  readonly overlapping: ReadonlyMap<string, number>;
  readonly uncovered: Uncovered;
}
