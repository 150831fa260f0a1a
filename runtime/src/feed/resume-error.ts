import { ConnectError } from "@connectrpc/connect";
import { ResumeSchema } from "../gen/connectrest/v1/feed_pb.ts";

/**
 * The maximum length of a token in an error, in characters. In gRPC, error details are sent in trailers, and
 * many clients accept at most 8 KB of trailers.
 */
export const MAX_ERROR_TOKEN = 4096;

/**
 * Adds a connectrest.v1.Resume to the details of an error. Returns the error unchanged if there is no token,
 * or if the token is too long for an error. In that case, clients use the token in the last message.
 */
export function withResume(error: ConnectError, token: string | undefined): ConnectError {
  if (token === undefined || token.length > MAX_ERROR_TOKEN) return error;
  const copy = new ConnectError(error.rawMessage, error.code, error.metadata, undefined, error.cause);
  copy.details = [...error.details, { desc: ResumeSchema, value: { token } }];
  return copy;
}
