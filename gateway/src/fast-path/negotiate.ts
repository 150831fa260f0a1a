import { Code } from "@connectrpc/connect";
import type { Compression } from "@connectrpc/connect/protocol";
import { gatewayError } from "../call/gateway-error.ts";
import type { Head } from "./wire.ts";

/**
 * Chooses compressions from two headers, as both Connect and gRPC specify
 * (https://github.com/grpc/grpc/blob/master/doc/compression.md). The response uses the first available
 * compression that the client accepts, or the compression of the request if the client names none. If the
 * compression of the request is unknown, the call fails.
 */
export function negotiate(
  available: readonly Compression[],
  used: string | undefined,
  accepted: string | undefined,
): Pick<Head, "requestCompression" | "responseCompression" | "problem"> {
  const isPlain = used === undefined || used === "identity";
  const requestCompression = isPlain ? undefined : find(available, used);
  const problem = isPlain || requestCompression !== undefined ? undefined : unknown(used, available);
  const responseCompression =
    accepted === undefined || accepted === "" ? requestCompression : firstOf(accepted, available);
  return { requestCompression, responseCompression, problem };
}

function find(available: readonly Compression[], name: string): Compression | undefined {
  return available.find((each) => each.name === name);
}

function firstOf(accepted: string, available: readonly Compression[]): Compression | undefined {
  for (const name of accepted.split(",")) {
    const found = find(available, name.trim());
    if (found !== undefined) return found;
  }
  return undefined;
}

function unknown(used: string, available: readonly Compression[]): Head["problem"] {
  const names = available.map(({ name }) => name).join(",");
  const text = `unknown compression "${used}": supported encodings are ${names}`;
  return gatewayError("PROTOCOL_UNSUPPORTED", text, Code.Unimplemented);
}
