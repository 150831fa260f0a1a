import type { Wire } from "../unary/wire.ts";
import { answer } from "./answer.ts";
import { error } from "./error.ts";
import { intake } from "./request.ts";

/** Unary calls of gRPC-Web. */
export const grpcWebWire: Wire = { intake, answer, error };
