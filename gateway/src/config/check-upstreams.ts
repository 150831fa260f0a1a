import type { ServiceAdapter, UpstreamOptions } from "connect-rest-runtime";
import { didYouMean } from "connect-rest-runtime/internal";
import { type Config, problemAt } from "./load.ts";
import { ConfigError } from "./problems.ts";

type Addresses = Pick<UpstreamOptions, "baseUrl" | "bases">;

/**
 * Checks that every upstream that adapters call is configured, with the base addresses that the adapters use.
 *
 * @throws ConfigError naming each missing upstream and base address
 */
export function checkUpstreams(
  config: Config,
  adapters: readonly ServiceAdapter[],
  upstreams: Readonly<Record<string, Addresses>>,
): void {
  const texts = new Set<string>();
  for (const { service, methods } of adapters) {
    for (const { rules } of Object.values(methods)) {
      const { upstream, base } = rules;
      const options = upstreams[upstream];
      if (options === undefined) {
        const hint = didYouMean(upstream, Object.keys(upstreams));
        texts.add(`${service.typeName} calls the upstream ${upstream}, which is not configured.${hint}`);
      } else if (!hasBase(options, base)) {
        texts.add(`${service.typeName} uses the base URL ${base} of ${upstream}, which is not configured`);
      }
    }
  }
  const problems = [...texts].map((text) => problemAt(config, ["upstreams"], text));
  if (problems.length > 0) throw new ConfigError(problems);
}

/** Returns whether a base has an address. `baseUrl` applies to every base without a separate address. */
function hasBase({ baseUrl, bases = {} }: Addresses, base: string): boolean {
  return base === "" || baseUrl !== undefined || Object.hasOwn(bases, base);
}
