import { existsSync } from "node:fs";
import { cachedPath, REAL_DOCUMENTS } from "../../scripts/import-counts.ts";
import type { Operation } from "./openapi/document.ts";

/** The documents of real APIs that are in the cache. */
export const FETCHED = REAL_DOCUMENTS.filter((document) => existsSync(cachedPath(document)));

const OPERATIONS = 40;

/** Returns operations from all parts of a document. */
export function sampled(operations: readonly Operation[]): readonly Operation[] {
  const step = Math.max(1, Math.floor(operations.length / OPERATIONS));
  return operations.filter((_, index) => index % step === 0);
}
