import { constants, X509Certificate } from "node:crypto";
import { readFileSync, unwatchFile, watchFile } from "node:fs";
import tls from "node:tls";

/** The PEM files of a certificate and its key, as absolute paths. */
export interface CertificateFiles {
  /** The certificate, followed by its issuers' certificates. */
  readonly certificate: string;
  readonly key: string;
  /** The authorities that sign client certificates. Default: clients need no certificate. */
  readonly clientCa?: string | undefined;
}

/** A certificate in the form that TLS accepts. */
export type Certificate = Pick<
  tls.SecureContextOptions,
  "cert" | "key" | "ca" | "minVersion" | "secureOptions"
>;

const CERTIFICATE = /-----BEGIN CERTIFICATE-----[^-]*-----END CERTIFICATE-----/g;

/**
 * The interval at which the files are checked, in milliseconds. Polling works on every file system and with
 * every method of replacing files.
 */
const INTERVAL_MS = 1000;

/**
 * Reads a certificate and its key.
 *
 * @throws Error naming a file that cannot be read, is invalid, or does not match the other file
 */
export function readCertificate(files: CertificateFiles): Certificate {
  const { clientCa } = files;
  const certificate: Certificate = {
    cert: readPem("certificate", files.certificate),
    key: readPem("key", files.key),
    ...(clientCa === undefined ? {} : { ca: readAuthorities(clientCa) }),
    minVersion: "TLSv1.2",
    // Disabled because renegotiation costs a server more than its client.
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
 * Watches both files, and passes each new certificate to a callback. Files that do not match, e.g. because
 * only one of them has been replaced so far, are reported as an error and read again after the next change.
 *
 * @returns a function that stops watching
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

/**
 * Reads the authorities of client certificates. TLS would accept a file without a certificate, and then
 * reject every client.
 */
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

/** Returns the expiry time of a certificate, in seconds since 1970; NaN without a certificate. */
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
