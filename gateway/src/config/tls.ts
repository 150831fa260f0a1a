import path from "node:path";
import { type CertificateFiles, readCertificate } from "../listener/certificate.ts";
import { type Config, problemAt } from "./load.ts";
import { ConfigError } from "./problems.ts";

/**
 * Returns the files of the certificate, with absolute paths; undefined if no certificate is configured.
 *
 * @throws ConfigError if the files cannot be used
 */
export function resolveTls(config: Config): CertificateFiles | undefined {
  const { tls } = config.server;
  if (tls === undefined) return undefined;
  const files = {
    certificate: path.resolve(config.directory, tls.certificate),
    key: path.resolve(config.directory, tls.key),
    clientCa: tls.clientCa && path.resolve(config.directory, tls.clientCa),
  };
  try {
    readCertificate(files);
  } catch (error) {
    const text = error instanceof Error ? error.message : String(error);
    throw new ConfigError([problemAt(config, ["server", "tls"], text)]);
  }
  return files;
}
