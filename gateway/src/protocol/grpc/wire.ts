import type { Wire } from "../unary/wire.ts";
import { answer } from "./answer.ts";
import { error } from "./error.ts";
import { intake } from "./request.ts";

/** Unary calls of gRPC over HTTP/2. */
export const grpcWire: Wire = { intake, answer, error };
