import type { DescMethod, DescService } from "@bufbuild/protobuf";
import type { ConnectRouter } from "@connectrpc/connect";
import { EXPLAIN_SERVICE } from "../call/explain-service.ts";
import { methodPath } from "../call/method-path.ts";
import { Health as HealthService } from "../gen/grpc/health/v1/health_pb.ts";
import { ServerReflection as ReflectionV1 } from "../gen/grpc/reflection/v1/reflection_pb.ts";
import { ServerReflection as ReflectionV1Alpha } from "../gen/grpc/reflection/v1alpha/reflection_pb.ts";
import type { Health } from "../health/health.ts";
import { reflectionRoutes, type Schema } from "../reflection/reflection.ts";

/** The names of the gateway's own services. */
const OWN_SERVICES: ReadonlySet<string> = new Set([
  HealthService.typeName,
  ReflectionV1.typeName,
  ReflectionV1Alpha.typeName,
  EXPLAIN_SERVICE,
]);

/** Returns whether a service is the health service, whose calls are accepted however busy the gateway is. */
export function isHealth(service: DescService): boolean {
  return service === HealthService;
}

/** Returns the services without the gateway's own services. */
export function withoutOwn(services: readonly DescService[]): readonly DescService[] {
  return services.filter((service) => !OWN_SERVICES.has(service.typeName));
}

/** Returns the paths of the methods that satisfy a predicate. */
export function pathsOf(
  services: readonly DescService[],
  isOne: (method: DescMethod) => boolean,
): ReadonlySet<string> {
  return new Set(
    services.flatMap(({ methods }) => methods.filter(isOne).map((method) => `/${methodPath(method)}`)),
  );
}

/** Adds health and, if `services` is given, reflection for all services that it returns. */
export function ownRoutes(
  router: ConnectRouter,
  health: Health,
  services: (() => readonly DescService[]) | undefined,
): void {
  router.service(HealthService, health.routes());
  let schema: Promise<Schema> | undefined;
  if (services !== undefined) reflectionRoutes(router, () => (schema ??= describe(services())));
}

/**
 * Builds the schema for reflection. Called on first use, since building takes long and few clients need it.
 */
async function describe(services: readonly DescService[]): Promise<Schema> {
  const { createFileIndex } = await import("../reflection/file-index.ts");
  return { services: services.map(({ typeName }) => typeName), files: createFileIndex(services) };
}
