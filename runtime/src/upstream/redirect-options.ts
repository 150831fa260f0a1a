import { invalidOption } from "../errors/check-option.ts";

/** The rules for following an upstream's redirects, for methods whose rules enable redirects. */
export interface RedirectOptions {
  /**
   * Hosts to which redirects may lead in addition to the base address: `files.example.com`,
   * `files.example.com:8443`, or `*.example.com` for all subdomains.
   */
  readonly hosts: readonly string[];
}

/** The validated options. */
export interface RedirectSettings {
  /** The hosts in lower case. */
  readonly hosts: readonly string[];
}

const HOST = /^(?:\*\.)?[a-z0-9_-]+(?:\.[a-z0-9_-]+)*(?::\d{1,5})?$|^\[[0-9a-f:.]+\](?::\d{1,5})?$/;

/** @throws ConnectError reason UPSTREAM_OPTION_INVALID */
export function resolveRedirects(
  upstream: string,
  options: RedirectOptions | false | undefined,
): RedirectSettings | undefined {
  if (options === undefined || options === false) return undefined;
  const hosts: unknown = options.hosts;
  if (!Array.isArray(hosts)) {
    throw invalidOption(upstream, "redirects.hosts", "a list of hosts", typeof hosts);
  }
  return { hosts: hosts.map((host: unknown) => checkHost(upstream, host)) };
}

function checkHost(upstream: string, host: unknown): string {
  const text = typeof host === "string" ? host.toLowerCase() : "";
  // parsed URLs never contain the default port
  if (HOST.test(text) && !/:(?:80|443)$/.test(text)) return text;
  const expected = "a host such as files.example.com or *.example.com, without scheme, path and default port";
  throw invalidOption(upstream, "redirects.hosts", expected, JSON.stringify(host) ?? String(host));
}
