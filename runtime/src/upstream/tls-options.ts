import { isIP } from "node:net";
import { createSecureContext, type SecureContext } from "node:tls";
import { invalidOption } from "../errors/check-option.ts";
import { Secret } from "../text/secret.ts";

/**
 * TLS options for the base addresses of an upstream. They do not apply to redirects to other origins, since
 * the client certificate identifies the caller.
 */
export interface TlsOptions {
  /** The certificates of authorities in PEM, which replace the authorities that Node.js trusts. */
  readonly ca?: string | Uint8Array | readonly (string | Uint8Array)[] | undefined;
  /** The client certificate in PEM, followed by the certificates of its issuers. Requires `key`. */
  readonly cert?: string | Uint8Array | undefined;
  /** The private key of the client certificate in PEM, without a passphrase. */
  readonly key?: string | Uint8Array | Secret | undefined;
  /**
   * The name that the upstream's certificate must match. It is also sent as SNI. Default: the host of the
   * address.
   */
  readonly serverName?: string | undefined;
}

/** The validated options. */
export interface TlsSettings {
  readonly secureContext: SecureContext | undefined;
  /** The name for SNI. If it is empty, no name is sent. */
  readonly serverName: string | undefined;
}

const NAME = /^(?=.{1,253}$)[a-z0-9_-]{1,63}(?:\.[a-z0-9_-]{1,63})*$/i;

/**
 * @param option the name of the options, for the error message
 * @throws ConnectError reason UPSTREAM_OPTION_INVALID
 */
export function resolveTls(
  upstream: string,
  option: string,
  options: TlsOptions | undefined,
): TlsSettings | undefined {
  if (options === undefined) return undefined;
  if (typeof options !== "object" || options === null) {
    throw invalidOption(upstream, option, "an object", String(options));
  }
  const { ca, cert, key, serverName } = options;
  if ((cert === undefined) !== (key === undefined)) {
    const [has, lacks] = cert === undefined ? ["key", "cert"] : ["cert", "key"];
    throw invalidOption(upstream, `${option}.${lacks}`, `PEM, since there is a \`${has}\``, "none");
  }
  if (
    serverName !== undefined &&
    (typeof serverName !== "string" || !NAME.test(serverName) || isIP(serverName) !== 0)
  ) {
    throw invalidOption(upstream, `${option}.serverName`, "the name of a host", JSON.stringify(serverName));
  }
  if (ca === undefined && cert === undefined) return { secureContext: undefined, serverName };
  return { secureContext: contextOf(upstream, option, options), serverName };
}

/** Creates the TLS context once; otherwise every connection would parse the certificates again. */
function contextOf(upstream: string, option: string, { ca, cert, key }: TlsOptions): SecureContext {
  const revealed = key instanceof Secret ? key.reveal() : key;
  try {
    checkPem(ca);
    return createSecureContext({
      ...(ca !== undefined && { ca: [ca].flat() as string[] }),
      ...(cert !== undefined && { cert: cert as string, key: revealed as string }),
    });
  } catch (error) {
    // OpenSSL's messages name the problem, and never quote the content
    const problem = error instanceof Error ? error.message : String(error);
    throw invalidOption(upstream, option, "certificates in PEM, and a key that belongs to them", problem);
  }
}

/**
 * Checks that a text contains a certificate. OpenSSL reads a text without certificates as an empty list, and
 * would then trust no server.
 */
function checkPem(ca: TlsOptions["ca"]): void {
  for (const each of ca === undefined ? [] : [ca].flat()) {
    const text = typeof each === "string" ? each : Buffer.from(each as Uint8Array).toString("latin1");
    if (!text.includes("-----BEGIN ")) throw new Error("no certificate in `ca`");
  }
}
