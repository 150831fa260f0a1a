import { loadConfig } from "../config/load.ts";
import { resolveModule } from "../config/modules.ts";
import { ConfigError } from "../config/problems.ts";
import { type Sandbox, startSandbox } from "../sandbox/sandbox-process.ts";
import { printError } from "./output.ts";

/** The sandbox options of `serve`. */
export interface SandboxFlags {
  readonly config: string;
  readonly sandbox?: boolean;
  readonly sandboxPublicUrl?: string;
  readonly sandboxTls?: boolean;
  readonly sandboxTlsCert?: string;
  readonly sandboxTlsKey?: string;
  readonly sandboxEvents?: string;
  /** The URL to which the sandbox redirects people after sign-in. */
  readonly sandboxSignInRedirect?: string;
}

/**
 * Starts the configured sandbox, if the options request one.
 *
 * @param isTemporary whether the sandbox serves only one command, on a free port and without a ready line
 */
export async function startConfiguredSandbox(
  options: SandboxFlags,
  isTemporary = false,
): Promise<Sandbox | undefined> {
  if (options.sandbox !== true) return undefined;
  const { sandbox, file, directory } = loadConfig(options.config, process.env);
  if (sandbox === undefined) {
    const text = "--sandbox needs this setting: { module: PATH, port: PORT }";
    throw new ConfigError([{ file, key: "sandbox", text }]);
  }
  const module = resolveModule(sandbox.module, directory);
  return startSandbox({
    module,
    port: isTemporary ? 0 : sandbox.port,
    isSilent: isTemporary,
    args: sandboxArguments(options),
    onSlow: () => printError("still waiting for the sandbox to start; it is loaded for the first time"),
  });
}

/** Resolves to a message when the sandbox exits; never resolves without a sandbox. */
export function endOf(sandbox: Sandbox | undefined): Promise<string> {
  return sandbox?.exited ?? new Promise(() => undefined);
}

/** Returns the command line arguments of the sandbox. */
function sandboxArguments(options: SandboxFlags): string[] {
  const values = [
    ["--public-url", options.sandboxPublicUrl],
    ["--tls-cert", options.sandboxTlsCert],
    ["--tls-key", options.sandboxTlsKey],
    ["--events", options.sandboxEvents],
    ["--sign-in-redirect", options.sandboxSignInRedirect],
  ] as const;
  const given = values.flatMap(([name, value]) => (value === undefined ? [] : [`${name}=${value}`]));
  return options.sandboxTls === true ? ["--tls", ...given] : given;
}
