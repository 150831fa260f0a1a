import { ConnectError } from "@connectrpc/connect";
import { ResumeSchema } from "../gen/connectrest/v1/feed_pb.ts";

/** The same error with a connectrest.v1.Resume among its details; as it is without a token. */
export function withResume(error: ConnectError, token: string | undefined): ConnectError {
  if (token === undefined) return error;
  const copy = new ConnectError(error.rawMessage, error.code, error.metadata, undefined, error.cause);
  copy.details = [...error.details, { desc: ResumeSchema, value: { token } }];
  return copy;
}
