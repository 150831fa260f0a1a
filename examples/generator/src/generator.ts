import { MethodOptions_IdempotencyLevel as Level } from "@bufbuild/protobuf/wkt";
import {
  type AdapterFile,
  adapterPoint,
  type Generator,
  type MethodModel,
  printKey,
  printLiteral,
  type ServiceModel,
  templateText,
} from "protoc-gen-connect-rest/kit";

const IDEMPOTENT: ReadonlySet<string> = new Set(["GET", "HEAD", "OPTIONS", "PUT", "DELETE"]);

/**
 * Adds a property to each adapter: the HTTP verb and path of each method, and whether a call may be repeated.
 */
export const routesGenerator: Generator = {
  name: "protoc-gen-example-routes",
  version: "0.1.0",
  description: "Adds a table of routes to each generated adapter.",
  generate(request) {
    if (request.adapterFiles.every(({ services }) => services.length === 0)) return;
    const types = request.newFile("routes.ts");
    const service = types.importType("DescService", "@bufbuild/protobuf");
    const adapter = types.importType("ServiceAdapter", "connect-rest-runtime/adapter");
    types.add(...typeLines(adapter, service));
    for (const file of request.adapterFiles) {
      for (const model of file.services) addRoutes(file, model);
    }
  },
};

/**
 * Returns the types of the routes, the declaration of the adapter property, and a function that reads the
 * property.
 */
function typeLines(adapter: string, service: string): string[] {
  return `
/** The HTTP request of a method. */
export interface Route {
  readonly verb: string;
  /** The template of the path: \`/v1/books/{id}\`. */
  readonly path: string;
  /** Whether a call can be repeated without a further effect. */
  readonly idempotent: boolean;
}

export type Routes = Readonly<Record<string, Route>>;

declare module "connect-rest-runtime/adapter" {
  interface AdapterExtensions {
    readonly routes?: Routes;
  }
}

/** The route of a method, by its name in TypeScript; undefined if it is not mapped to REST. */
export function routeOf<S extends ${service}>(
  adapter: ${adapter}<S>,
  method: keyof S["method"] & string,
): Route | undefined {
  return adapter.routes?.[method];
}`.split("\n");
}

function addRoutes(file: AdapterFile, { desc, methods }: ServiceModel): void {
  const routes = file.importType("Routes", file.relative("routes.ts"));
  const lines = methods.map(
    (each) => `  ${printKey(each.desc.localName)}: ${printLiteral(routeOf(each), 2)},`,
  );
  file.insert(adapterPoint(desc), "routes: {", ...lines, `} satisfies ${routes},`);
}

/** Returns the route of the first HTTP rule of a method. */
function routeOf(method: MethodModel) {
  const [binding] = method.bindings;
  if (binding === undefined) throw new Error(`${method.desc.name} has no HTTP rule`);
  const { verb, template } = binding;
  return { verb, path: templateText(template), idempotent: isIdempotent(method, verb) };
}

/**
 * Reports whether a call may be repeated: by the annotation, else by `idempotency_level`, else by the verb
 * (RFC 9110 section 9.2).
 */
function isIdempotent({ desc, annotation }: MethodModel, verb: string): boolean {
  return annotation.idempotent ?? (desc.idempotency !== Level.IDEMPOTENCY_UNKNOWN || IDEMPOTENT.has(verb));
}
