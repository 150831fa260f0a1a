import type { Compression } from "@connectrpc/connect/protocol";
import type { Head } from "./wire.ts";

/**
 * Chooses compressions by the values of two headers, as Connect and gRPC both do
 * (https://github.com/grpc/grpc/blob/master/doc/compression.md): of what the client accepts the first that is
 * available; where it does not say, what it used itself.
 *
 * @returns undefined when the request uses a compression that is not known
 */
export function negotiate(
  available: readonly Compression[],
  used: string | undefined,
  accepted: string | undefined,
): Pick<Head, "requestCompression" | "responseCompression"> | undefined {
  const find = (name: string) => available.find((each) => each.name === name);
  const isPlain = used === undefined || used === "identity";
  const requestCompression = isPlain ? undefined : find(used);
  if (!isPlain && requestCompression === undefined) return undefined;
  if (accepted === undefined || accepted === "") {
    return { requestCompression, responseCompression: requestCompression };
  }
  return { requestCompression, responseCompression: firstOf(accepted, find) };
}

function firstOf(accepted: string, find: (name: string) => Compression | undefined): Compression | undefined {
  for (const name of accepted.split(",")) {
    const found = find(name.trim());
    if (found !== undefined) return found;
  }
  return undefined;
}
