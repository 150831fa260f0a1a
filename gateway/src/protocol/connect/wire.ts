import type { Wire } from "../unary/wire.ts";
import { answer } from "./answer.ts";
import { error } from "./error.ts";
import { intake } from "./request.ts";

/** Unary calls of the Connect protocol. */
export const connectWire: Wire = { intake, answer, error };
