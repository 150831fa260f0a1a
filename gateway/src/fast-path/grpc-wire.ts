import { intake } from "./grpc.ts";
import { answer } from "./grpc-answer.ts";
import { error } from "./grpc-error.ts";
import type { Wire } from "./wire.ts";

/** Unary calls of gRPC over HTTP/2. */
export const grpcWire: Wire = { intake, answer, error };
