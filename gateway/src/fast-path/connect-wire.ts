import { intake } from "./connect.ts";
import { answer } from "./connect-answer.ts";
import { error } from "./connect-error.ts";
import type { Wire } from "./wire.ts";

/** Unary calls of the Connect protocol. */
export const connectWire: Wire = { intake, answer, error };
