import {
  type Certificate,
  type CertificateFiles,
  expiryOf,
  readCertificate,
  watchCertificate,
} from "../listener/certificate.ts";
import type { Logger } from "../log/logger.ts";

/** The current certificate of a server. It is reloaded when its files change. */
export class KeptCertificate {
  current: Certificate;
  private readonly log: Logger;
  private use: (certificate: Certificate) => void = () => undefined;
  private stopWatching: (() => void) | undefined;

  constructor(files: CertificateFiles, log: Logger) {
    this.log = log;
    this.current = readCertificate(files);
  }

  /** Returns the expiry time of the certificate. */
  readonly expiry = (): ReturnType<typeof expiryOf> => expiryOf(this.current);

  /** Watches the certificate's files, and passes each new certificate to `use`. */
  watch(files: CertificateFiles, use: (certificate: Certificate) => void): void {
    this.use = use;
    this.watchFiles(files);
  }

  /** Switches to other files, and reads them immediately. */
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
