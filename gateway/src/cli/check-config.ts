import type { ServiceAdapter } from "connect-rest";
import { loadAdapters } from "../config/adapters.ts";
import { checkDifferences } from "../config/check-differences.ts";
import { checkPassThrough } from "../config/check-pass-through.ts";
import { checkUpstreams } from "../config/check-upstreams.ts";
import { type Config, loadConfig } from "../config/load.ts";
import { ConfigError, formatProblem, type Problem } from "../config/problems.ts";
import { resolveUpstreams } from "../config/secrets.ts";
import { resolveTls } from "../config/tls.ts";
import { loadTypes } from "../config/types.ts";
import { usesOf, warningsOf } from "../config/upstream-uses.ts";
import { EXIT_STATUS } from "./exit-status.ts";
import { printError, printLine } from "./output.ts";

/**
 * `connect-rest check-config`: every problem of the file, its secrets and its adapters, in one run; where there is none,
 * which services call which upstream, and warnings.
 */
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
    await loadTypes(config).catch(collect);
    attempt(() => checkDifferences(config, adapters ?? []), collect);
    attempt(() => checkUpstreams(config, adapters ?? [], config.upstreams), collect);
    if (problems.length === 0) report(config, adapters ?? []);
  }
  if (problems.length === 0) return;
  printError(new ConfigError(problems).message);
  process.exitCode = EXIT_STATUS.usage;
}

/** What a valid configuration amounts to, with warnings. */
function report(config: Config, adapters: readonly ServiceAdapter[]): void {
  printLine(`${config.file} is valid: ${countOf(adapters.length)}`);
  for (const use of usesOf(config, adapters)) printLine(`  upstream ${use}`);
  for (const warning of warningsOf(config, adapters)) printError(`warning: ${formatProblem(warning)}`);
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
