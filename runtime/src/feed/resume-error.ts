import { ConnectError } from "@connectrpc/connect";
import { ResumeSchema } from "../gen/connectrest/v1/feed_pb.ts";

/**
 * The longest token that an error carries, in characters. Over gRPC, error details are trailers, and many
 * clients accept at most 8 KB of trailers.
 */
export const MAX_ERROR_TOKEN = 4096;

/**
 * Adds a connectrest.v1.Resume to the details of an error. Returns the error unchanged without a token, or if
 * the token is too long for an error. The last message carries the token as well.
 */
export function withResume(error: ConnectError, token: string | undefined): ConnectError {
  if (token === undefined || token.length > MAX_ERROR_TOKEN) return error;
  const copy = new ConnectError(error.rawMessage, error.code, error.metadata, undefined, error.cause);
  copy.details = [...error.details, { desc: ResumeSchema, value: { token } }];
  return copy;
}
