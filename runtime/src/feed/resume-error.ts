import { ConnectError } from "@connectrpc/connect";
import { ResumeSchema } from "../gen/connectrest/v1/feed_pb.ts";

/**
 * The longest token that an error carries, in characters. Over gRPC, details are trailers, and many clients
 * take 8 KB of trailers.
 */
export const MAX_ERROR_TOKEN = 4096;

/**
 * The same error with a connectrest.v1.Resume among its details; as it is without a token, and with one that
 * is longer than an error can carry. The last message has it as well.
 */
export function withResume(error: ConnectError, token: string | undefined): ConnectError {
  if (token === undefined || token.length > MAX_ERROR_TOKEN) return error;
  const copy = new ConnectError(error.rawMessage, error.code, error.metadata, undefined, error.cause);
  copy.details = [...error.details, { desc: ResumeSchema, value: { token } }];
  return copy;
}
