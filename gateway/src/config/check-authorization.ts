import type { DescField } from "@bufbuild/protobuf";
import type { ServiceAdapter } from "connect-rest-runtime";
import { isRedactedField } from "connect-rest-runtime/internal";
import { AUTHORIZATION_MISSING, isAuthorizationInstalled } from "../authorization/load.ts";
import { fits } from "../authorization/scopes.ts";
import { EXPLAIN_METHOD, EXPLAIN_SERVICE } from "../call/explain-service.ts";
import { methodPath } from "../call/method-path.ts";
import { headersOf } from "../credentials/pass-through.ts";
import { createHostCheck, hostsOf, isLoopback } from "../listener/hosts.ts";
import { nameable, unmatchedPatterns } from "./check-patterns.ts";
import { type Config, problemAt } from "./load.ts";
import { ConfigError, type Problem } from "./problems.ts";

/** The header that carries the gateway's tokens. */
const TOKEN_HEADER = "authorization";

/** A pattern for the names of fields that contain tokens. */
const TOKEN_FIELD = /(?:^|_)token(?:_|$)/;

/**
 * Checks for settings that, together with `authorization`, would leak tokens or make them useless, and for
 * sign-ins without `authorization`.
 *
 * @param host the address to listen on
 * @throws ConfigError naming each problem
 */
export function checkAuthorization(
  config: Config,
  adapters: readonly ServiceAdapter[],
  host: string = config.server.host,
): void {
  const problems =
    config.authorization === undefined
      ? withoutAuthorization(config)
      : [
          ...passThroughs(config),
          ...tokenServices(config, adapters),
          ...patterns(config, adapters),
          ...hosts(config, host),
        ];
  if (problems.length > 0) throw new ConfigError(problems);
}

/** Returns warnings about settings that are valid but probably unintended. */
export function authorizationWarnings(config: Config, adapters: readonly ServiceAdapter[]): Problem[] {
  const { authorization, server } = config;
  if (authorization === undefined) return [];
  const { publicUrl, registration, scopes } = authorization;
  const warnings: Problem[] = [];
  const warn = (path: readonly string[], text: string) =>
    warnings.push(problemAt(config, ["authorization", ...path], text));
  if (!isAuthorizationInstalled()) warn([], AUTHORIZATION_MISSING);
  if (publicUrl.startsWith("https:") && server.tls === undefined && server.proxies === undefined) {
    const text =
      "is https, but the gateway neither speaks TLS (server.tls) nor trusts a proxy that does (server.proxies): every request but health checks will be rejected";
    warn(["publicUrl"], text);
  }
  if (registration.mode === "open" && registration.grants.includes("client_credentials")) {
    warn(["registration", "grants"], "anyone who registers may call: client_credentials with mode: open");
  }
  const free =
    Object.keys(scopes).length === 0 ? [] : methodsOf(adapters).filter((method) => isFree(method, config));
  const [first] = free;
  if (first !== undefined) {
    const more = free.length > 1 ? ` and ${free.length - 1} more` : "";
    warn(["scopes"], `no scope names ${methodPath(first.method)}${more}: any valid token may call`);
  }
  return warnings;
}

type Method = ServiceAdapter["methods"][string];

function methodsOf(adapters: readonly ServiceAdapter[]): Method[] {
  return adapters.flatMap(({ methods }) => Object.values(methods));
}

function isFree({ method, rules }: Method, { authorization }: Config): boolean {
  const named = Object.values(authorization?.scopes ?? {}).some(({ methods }) =>
    methods.some((pattern) => fits(method, pattern)),
  );
  return !named && rules.scopes.length === 0;
}

function withoutAuthorization(config: Config): Problem[] {
  return Object.entries(config.upstreams)
    .filter(([, { signIn }]) => signIn !== undefined)
    .map(([name]) => {
      const text = "nobody can sign in without the section authorization, which issues the tokens";
      return problemAt(config, ["upstreams", name, "signIn"], text);
    });
}

function passThroughs(config: Config): Problem[] {
  return Object.entries(config.upstreams)
    .filter(([, { credentials }]) => headersOf(credentials?.passThrough ?? {}).includes(TOKEN_HEADER))
    .map(([name]) => {
      const path = ["upstreams", name, "credentials", "passThrough"];
      const text =
        "the header authorization carries tokens of the gateway, which must go to no upstream; name another header, e.g. x-upstream-authorization";
      return problemAt(config, path, text);
    });
}

/** Finds services whose responses contain upstream tokens, which must never leave the gateway. */
function tokenServices(config: Config, adapters: readonly ServiceAdapter[]): Problem[] {
  return adapters.flatMap(({ service, methods }) => {
    const handing = Object.values(methods).find(({ method }) =>
      method.output.fields.some((field: DescField) => TOKEN_FIELD.test(field.name) && isRedactedField(field)),
    );
    if (handing === undefined) return [];
    const text = `${methodPath(handing.method)} hands out tokens of the upstream, which must not leave the gateway while callers are authorized; add ${service.typeName} to routes.exclude`;
    return [problemAt(config, ["routes"], text)];
  });
}

function patterns(config: Config, adapters: readonly ServiceAdapter[]): Problem[] {
  if (adapters.length === 0) return [];
  const { methods, names } = nameable(adapters);
  const known = config.server.explain
    ? { methods: [...methods, EXPLAIN_METHOD], names: [...names, EXPLAIN_SERVICE] }
    : { methods, names };
  return Object.entries(config.authorization?.scopes ?? {}).flatMap(([scope, { methods: list }]) =>
    unmatchedPatterns(config, ["authorization", "scopes", scope, "methods"], list, known),
  );
}

function hosts(config: Config, host: string): Problem[] {
  const { authorization, server } = config;
  if (authorization === undefined || (server.hosts === undefined && !isLoopback(host))) return [];
  const authority = new URL(authorization.publicUrl).host;
  if (createHostCheck(hostsOf(host, server.hosts))(authority)) return [];
  const text = `requests for ${authority} are not served; add its name to server.hosts`;
  return [problemAt(config, ["authorization", "publicUrl"], text)];
}
