import type { DescMethod } from "@bufbuild/protobuf";
import { MethodOptions_IdempotencyLevel as Level } from "@bufbuild/protobuf/wkt";

/** Returns whether a call only reads data, by its method and the verb of its first request. */
export function isReadOnly({ idempotency }: DescMethod, verb: string): boolean {
  return idempotency === Level.NO_SIDE_EFFECTS || verb === "GET" || verb === "HEAD";
}
