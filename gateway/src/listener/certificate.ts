import { constants, X509Certificate } from "node:crypto";
import { readFileSync, unwatchFile, watchFile } from "node:fs";
import tls from "node:tls";

/** Where a certificate and its key are: PEM files, absolute paths. */
export interface CertificateFiles {
  /** The certificate, followed by those of its issuers. */
  readonly certificate: string;
  readonly key: string;
  /** The authorities that sign certificates of clients. Default: clients need none. */
  readonly clientCa?: string | undefined;
}

/** A certificate as TLS takes it. */
export type Certificate = Pick<
  tls.SecureContextOptions,
  "cert" | "key" | "ca" | "minVersion" | "secureOptions"
>;

const CERTIFICATE = /-----BEGIN CERTIFICATE-----[^-]*-----END CERTIFICATE-----/g;

/** How often the files are looked at, in milliseconds: it works on every file system, whoever swaps what. */
const INTERVAL_MS = 1000;

/**
 * Reads a certificate and its key.
 *
 * @throws Error that names the file, when it cannot be read, or is none, or the two do not belong together
 */
export function readCertificate(files: CertificateFiles): Certificate {
  const { clientCa } = files;
  const certificate: Certificate = {
    cert: readPem("certificate", files.certificate),
    key: readPem("key", files.key),
    ...(clientCa === undefined ? {} : { ca: readAuthorities(clientCa) }),
    minVersion: "TLSv1.2",
    // Renegotiation costs a server more than its client.
    secureOptions: constants.SSL_OP_NO_RENEGOTIATION,
  };
  try {
    tls.createSecureContext(certificate);
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new Error(`${files.certificate} and ${files.key} are no certificate and its key: ${reason}`);
  }
  return certificate;
}

/**
 * Notifies of a new certificate after either file has changed. Files that do not fit, as when one of them is
 * replaced before the other, are reported as an error, and looked at again after the next change.
 *
 * @returns a function that stops it
 */
export function watchCertificate(
  files: CertificateFiles,
  onChange: (certificate: Certificate) => void,
  onError: (error: unknown) => void,
): () => void {
  const read = () => {
    try {
      onChange(readCertificate(files));
    } catch (error) {
      onError(error);
    }
  };
  const { certificate, key, clientCa } = files;
  const paths = [certificate, key, ...(clientCa === undefined ? [] : [clientCa])];
  for (const path of paths) watchFile(path, { interval: INTERVAL_MS, persistent: false }, read);
  return () => {
    for (const path of paths) unwatchFile(path, read);
  };
}

/** TLS would take a file without a certificate, and reject every client. */
function readAuthorities(file: string): Buffer {
  const pem = readPem("client CA", file);
  const certificates = pem.toString("latin1").match(CERTIFICATE) ?? [];
  try {
    for (const certificate of certificates) new X509Certificate(certificate);
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new Error(`the client CA ${file} has a certificate that is none: ${reason}`);
  }
  if (certificates.length === 0) throw new Error(`the client CA ${file} has no certificate`);
  return pem;
}

/** When a certificate expires, in seconds since 1970; NaN for none. */
export function expiryOf(certificate: Certificate | undefined): number {
  const pem = certificate?.cert;
  if (typeof pem !== "string" && !Buffer.isBuffer(pem)) return Number.NaN;
  return Date.parse(new X509Certificate(pem).validTo) / 1000;
}

function readPem(what: string, file: string): Buffer {
  try {
    return readFileSync(file);
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new Error(`the ${what} ${file} cannot be read: ${reason}`);
  }
}
