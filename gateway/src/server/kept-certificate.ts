import {
  type Certificate,
  type CertificateFiles,
  expiryOf,
  readCertificate,
  watchCertificate,
} from "../listener/certificate.ts";
import type { Logger } from "../log/logger.ts";

/** The certificate of a server, read again when its files change. */
export class KeptCertificate {
  current: Certificate;
  private readonly log: Logger;
  private use: (certificate: Certificate) => void = () => undefined;
  private stopWatching: (() => void) | undefined;

  constructor(files: CertificateFiles, log: Logger) {
    this.log = log;
    this.current = readCertificate(files);
  }

  /** When it expires. */
  readonly expiry = (): ReturnType<typeof expiryOf> => expiryOf(this.current);

  /** Watches its files; each new certificate is passed to `use`. */
  watch(files: CertificateFiles, use: (certificate: Certificate) => void): void {
    this.use = use;
    this.watchFiles(files);
  }

  /** Takes other files, which are read at once. */
  replace(files: CertificateFiles): void {
    this.take(readCertificate(files));
    this.stop();
    this.watchFiles(files);
  }

  stop(): void {
    this.stopWatching?.();
  }

  private watchFiles(files: CertificateFiles): void {
    this.stopWatching = watchCertificate(
      files,
      (certificate) => {
        this.take(certificate);
        this.log.info({ certificate: files.certificate }, "certificate reloaded");
      },
      (error) => this.log.error({ cause: String(error) }, "certificate not reloaded, the one before is kept"),
    );
  }

  private take(certificate: Certificate): void {
    this.use(certificate);
    this.current = certificate;
  }
}
