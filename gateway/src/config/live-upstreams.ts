import type { UpstreamOptions } from "connect-rest-runtime";
import type { CredentialsSource, FixedCredentials } from "connect-rest-runtime/internal";

type Upstreams = Readonly<Record<string, UpstreamOptions>>;

/**
 * Upstreams whose credentials can be replaced while calls run: each attempt of a call uses the current
 * credentials.
 */
export class LiveUpstreams {
  /** The initial options, with credentials that change on reload. */
  readonly options: Upstreams;
  private current: Upstreams;

  constructor(upstreams: Upstreams) {
    this.current = upstreams;
    const entries = Object.entries(upstreams).map(([name, options]) => {
      return [name, { ...options, credentials: this.follow(name, options.credentials) }] as const;
    });
    this.options = Object.fromEntries(entries);
  }

  /**
   * Applies new credentials. An upstream keeps its current credentials if it was removed, or if it changed
   * between fixed credentials and a credentials function.
   */
  reload(upstreams: Upstreams): void {
    const entries = Object.entries(this.current).map(([name, options]) => {
      const { credentials } = upstreams[name] ?? options;
      const isSameKind = (typeof credentials === "function") === (typeof options.credentials === "function");
      return [name, isSameKind ? { ...options, credentials } : options] as const;
    });
    this.current = Object.fromEntries(entries);
  }

  private follow(name: string, first: CredentialsSource | undefined): CredentialsSource {
    const current = () => this.current[name]?.credentials;
    if (typeof first === "function") {
      return (context) => {
        const credentials = current();
        return typeof credentials === "function" ? credentials(context) : (credentials ?? {});
      };
    }
    // Not a credentials function, because upstream errors distinguish fixed credentials from callers'
    // credentials.
    const fixed = (): FixedCredentials => {
      const credentials = current();
      return typeof credentials === "function" ? {} : (credentials ?? {});
    };
    return {
      get apiKey() {
        return fixed().apiKey;
      },
      get oauth1() {
        return fixed().oauth1;
      },
      get oauth2() {
        return fixed().oauth2;
      },
      get basic() {
        return fixed().basic;
      },
    };
  }
}
