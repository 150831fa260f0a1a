import type { Compression } from "@connectrpc/connect/protocol";
import type { Head } from "./head.ts";

/**
 * Chooses compressions by the values of two headers, as Connect and gRPC both have it
 * (https://github.com/grpc/grpc/blob/master/doc/compression.md): what the client accepts in the order in which it says
 * so, and without such a word what it used itself.
 *
 * @returns undefined when the request uses a compression that is not known
 */
export function negotiate(
  available: readonly Compression[],
  used: string | undefined,
  accepted: string | undefined,
): Pick<Head, "requestCompression" | "answerCompression"> | undefined {
  const find = (name: string) => available.find((each) => each.name === name);
  const isPlain = used === undefined || used === "identity";
  const requestCompression = isPlain ? undefined : find(used);
  if (!isPlain && requestCompression === undefined) return undefined;
  if (accepted === undefined || accepted === "") {
    return { requestCompression, answerCompression: requestCompression };
  }
  return { requestCompression, answerCompression: firstOf(accepted, find) };
}

function firstOf(accepted: string, find: (name: string) => Compression | undefined): Compression | undefined {
  for (const name of accepted.split(",")) {
    const found = find(name.trim());
    if (found !== undefined) return found;
  }
  return undefined;
}
