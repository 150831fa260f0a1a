import { X509Certificate } from "node:crypto";
import { readFileSync } from "node:fs";
import path from "node:path";
import { createSecureContext } from "node:tls";
import { Secret, type TlsOptions } from "connect-rest-runtime";
import { type Config, problemAt } from "./load.ts";
import type { Problem } from "./problems.ts";
import type { UpstreamTls } from "./upstream-schema.ts";

/** Reads the files that settings name, and collects problems. */
export class FileReader {
  protected readonly config: Config;
  protected readonly path: readonly string[];
  private readonly problems: Problem[];

  constructor(config: Config, path: readonly string[], problems: Problem[]) {
    this.config = config;
    this.path = path;
    this.problems = problems;
  }

  /** Returns the content of a file; undefined if it cannot be read. */
  readText(file: string, key: string): string | undefined {
    try {
      return readFileSync(path.resolve(this.config.directory, file), "utf8");
    } catch (error) {
      this.report(`cannot be read: ${messageOf(error)}`, key);
      return undefined;
    }
  }

  /** Returns the CA certificates in a file; undefined if the file cannot be read or has no certificate. */
  readAuthorities(file: string, key: string): string | undefined {
    const pem = this.readText(file, key);
    if (pem === undefined) return undefined;
    try {
      // checks only the first certificate; OpenSSL reads all of them
      new X509Certificate(pem);
      return pem;
    } catch {
      this.report(`${file} has no certificate in PEM`, key);
      return undefined;
    }
  }

  report(text: string, ...keys: readonly PropertyKey[]): void {
    this.problems.push(problemAt(this.config, [...this.path, ...keys], text));
  }
}

/** Reads the TLS settings of an upstream and the files that they name. */
export function readTls({ ca, certificate, key, serverName }: UpstreamTls, files: FileReader): TlsOptions {
  if ((certificate === undefined) !== (key === undefined)) {
    files.report("certificate and key belong together: name both, or neither");
  }
  const authorities = ca === undefined ? undefined : files.readAuthorities(ca, "ca");
  const pair = certificate !== undefined && key !== undefined && readPair(certificate, key, files);
  return { ca: authorities, ...(pair === false ? {} : pair), serverName };
}

function readPair(certificate: string, keyFile: string, files: FileReader): TlsOptions {
  const cert = files.readText(certificate, "certificate");
  const key = files.readText(keyFile, "key");
  if (cert === undefined || key === undefined) return {};
  try {
    createSecureContext({ cert, key });
  } catch (error) {
    files.report(`${certificate} and ${keyFile} are no certificate and its key: ${messageOf(error)}`);
    return {};
  }
  return { cert, key: new Secret(key) };
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
