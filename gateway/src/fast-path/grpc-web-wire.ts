import { intake } from "./grpc-web.ts";
import { answer } from "./grpc-web-answer.ts";
import { error } from "./grpc-web-error.ts";
import type { Wire } from "./wire.ts";

/** Unary calls of gRPC-Web. */
export const grpcWebWire: Wire = { intake, answer, error };
