import { constants } from "node:crypto";
import { readFileSync, unwatchFile, watchFile } from "node:fs";
import tls from "node:tls";

/** Where a certificate and its key are: PEM files, absolute paths. */
export interface CertificateFiles {
  /** The certificate, followed by those of its issuers. */
  readonly certificate: string;
  readonly key: string;
}

/** A certificate as TLS takes it. */
export type Certificate = Pick<tls.SecureContextOptions, "cert" | "key" | "minVersion" | "secureOptions">;

/** How often the files are looked at, in milliseconds: it works on every file system, whoever swaps what. */
const INTERVAL_MS = 1000;

/**
 * Reads a certificate and its key.
 *
 * @throws Error that names the file, when it cannot be read, or is none, or the two do not belong together
 */
export function readCertificate(files: CertificateFiles): Certificate {
  const certificate: Certificate = {
    cert: readPem("certificate", files.certificate),
    key: readPem("key", files.key),
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
 * Tells of a new certificate after either file has changed. Files that do not fit, as when one of them is replaced
 * before the other, are reported as an error, and looked at again after the next change.
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
  const paths = [files.certificate, files.key];
  for (const path of paths) watchFile(path, { interval: INTERVAL_MS, persistent: false }, read);
  return () => {
    for (const path of paths) unwatchFile(path, read);
  };
}

function readPem(what: string, file: string): Buffer {
  try {
    return readFileSync(file);
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new Error(`the ${what} ${file} cannot be read: ${reason}`);
  }
}
