/** The kinds of floods by a client. */
export type FloodKind =
  | "pipelined"
  | "connections"
  | "new connections"
  | "streams"
  | "resets"
  | "reflection"
  | "unknown paths"
  | "frames"
  | "chunks"
  | "hold";

const NAME = "blog.v1.PostService";

/** A gRPC reflection request, `file_containing_symbol`, in its envelope. */
export const REFLECTION = {
  path: "/grpc.reflection.v1.ServerReflection/ServerReflectionInfo",
  question: Buffer.from([0, 0, 0, 0, NAME.length + 2, 0x22, NAME.length, ...Buffer.from(NAME)]),
};
