import { ConnectError } from "@connectrpc/connect";

/** Returns the ConnectError with which a promise rejects or that a function throws. */
export async function failureOf(act: Promise<unknown> | (() => unknown)): Promise<ConnectError> {
  try {
    await (typeof act === "function" ? act() : act);
  } catch (error) {
    if (error instanceof ConnectError) return error;
    throw error;
  }
  throw new Error("expected a failure");
}
