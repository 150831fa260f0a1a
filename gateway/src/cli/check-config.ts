import { loadAdapters } from "../config/adapters.ts";
import { checkPassThrough } from "../config/check-pass-through.ts";
import { checkUpstreams } from "../config/check-upstreams.ts";
import { loadConfig } from "../config/load.ts";
import { ConfigError, type Problem } from "../config/problems.ts";
import { resolveUpstreams } from "../config/secrets.ts";
import { resolveTls } from "../config/tls.ts";
import { exitStatus } from "./exit-status.ts";
import { printError, printLine } from "./output.ts";

/** `connect-rest check-config`: every problem of the file, its secrets and its adapters, in one run. */
export async function checkConfig({ config: file }: { readonly config: string }): Promise<void> {
  const problems: Problem[] = [];
  const collect = (error: unknown) => {
    if (!(error instanceof ConfigError)) throw error;
    problems.push(...error.problems);
    return undefined;
  };
  const config = attempt(() => loadConfig(file, process.env), collect);
  if (config !== undefined) {
    attempt(() => resolveUpstreams(config, process.env), collect);
    attempt(() => checkPassThrough(config), collect);
    attempt(() => resolveTls(config), collect);
    const adapters = await loadAdapters(config).catch(collect);
    attempt(() => checkUpstreams(config, adapters ?? [], config.upstreams), collect);
    if (problems.length === 0) printLine(`${file} is right: ${countOf(adapters?.length ?? 0)}`);
  }
  if (problems.length === 0) return;
  printError(new ConfigError(problems).message);
  process.exitCode = exitStatus.usage;
}

function attempt<T>(work: () => T, collect: (error: unknown) => undefined): T | undefined {
  try {
    return work();
  } catch (error) {
    return collect(error);
  }
}

function countOf(services: number): string {
  return services === 1 ? "1 service" : `${services} services`;
}
