import type { DescMethod, DescService } from "@bufbuild/protobuf";
import type { ConnectRouter } from "@connectrpc/connect";
import { methodPath } from "../call/method-path.ts";
import { Health as HealthService } from "../gen/grpc/health/v1/health_pb.ts";
import { ServerReflection as ReflectionV1 } from "../gen/grpc/reflection/v1/reflection_pb.ts";
import { ServerReflection as ReflectionV1Alpha } from "../gen/grpc/reflection/v1alpha/reflection_pb.ts";
import type { Health } from "../health/health.ts";
import { reflectionRoutes, type Schema } from "../reflection/reflection.ts";

const OWN_SERVICES: readonly DescService[] = [HealthService, ReflectionV1, ReflectionV1Alpha];

/** Whether it is the service of health, whose calls are taken however busy the gateway is. */
export function isHealth(service: DescService): boolean {
  return service === HealthService;
}

/** The services without health and reflection. */
export function withoutOwn(services: readonly DescService[]): readonly DescService[] {
  return services.filter((service) => !OWN_SERVICES.includes(service));
}

/** The paths of some methods of services. */
export function pathsOf(
  services: readonly DescService[],
  isOne: (method: DescMethod) => boolean,
): ReadonlySet<string> {
  return new Set(
    services.flatMap(({ methods }) => methods.filter(isOne).map((method) => `/${methodPath(method)}`)),
  );
}

/** Adds health, and reflection where all services are named by `services`. */
export function ownRoutes(
  router: ConnectRouter,
  health: Health,
  services: (() => readonly DescService[]) | undefined,
): void {
  router.service(HealthService, health.routes());
  let schema: Promise<Schema> | undefined;
  if (services !== undefined) reflectionRoutes(router, () => (schema ??= describe(services())));
}

/** What reflection says: it takes long to put together, and few ask. */
async function describe(services: readonly DescService[]): Promise<Schema> {
  const { createFileIndex } = await import("../reflection/file-index.ts");
  return { services: services.map(({ typeName }) => typeName), files: createFileIndex(services) };
}
