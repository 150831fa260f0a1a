import type { ConnectRouter } from "@connectrpc/connect";
import {
  ServerReflection as ReflectionV1,
  type ServerReflectionRequest,
} from "../gen/grpc/reflection/v1/reflection_pb.ts";
import {
  ServerReflection as ReflectionV1Alpha,
  type ServerReflectionResponse as ResponseV1Alpha,
} from "../gen/grpc/reflection/v1alpha/reflection_pb.ts";
import { reflect, type Schema } from "./reflection.ts";

/** Serves reflection in both its versions. */
export function reflectionRoutes(router: ConnectRouter, schema: () => Schema): void {
  router.service(ReflectionV1, { serverReflectionInfo: (requests) => reflect(requests, schema) });
  router.service(ReflectionV1Alpha, {
    // The versions differ in nothing but the package of their messages.
    serverReflectionInfo: (requests) =>
      reflect(
        requests as unknown as AsyncIterable<ServerReflectionRequest>,
        schema,
      ) as unknown as AsyncIterable<ResponseV1Alpha>,
  });
}
