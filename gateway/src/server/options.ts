import type { DescMethod, DescService, Registry } from "@bufbuild/protobuf";
import type { ConnectRouter } from "@connectrpc/connect";
import type { UpstreamShare } from "../admission/admission.ts";
import type { Load } from "../admission/process-load.ts";
import type { CallerAuthorization, ServerParts } from "../authorization/caller-authorization.ts";
import type { MethodTimeout } from "../call/deadline.ts";
import type { ConsoleOptions, Examples, Failure, Survey } from "../console/options.ts";
import type { FastMethods } from "../fast-path/fast-call.ts";
import type { LimitOptions } from "../limits.ts";
import type { CertificateFiles } from "../listener/certificate.ts";
import type { ProxyOptions } from "../listener/proxies.ts";
import type { Logger } from "../log/logger.ts";
import type { McpEndpoint } from "../mcp/options.ts";
import type { Metrics } from "../metrics/metrics.ts";
import type { CallOptions } from "../rpc/call-options.ts";

/** Options of a server. */
export interface ServerOptions {
  /** Registers the services; the server adds health and reflection. */
  readonly routes: (router: ConnectRouter) => void;
  /** Registers the service that explains calls. Default: not served. */
  readonly explainRoutes?: ((router: ConnectRouter, options: () => CallOptions) => void) | undefined;
  /** Creates the endpoint that serves methods as tools (Model Context Protocol). Default: not served. */
  readonly mcpEndpoint?: ((options: CallOptions) => McpEndpoint) | undefined;
  /** Default 127.0.0.1. */
  readonly host?: string;
  /**
   * The hosts whose requests are served; `*` means every host. Default on a loopback address: the loopback
   * names and the address. On other addresses there is no default.
   */
  readonly hosts?: readonly string[] | undefined;
  /** Default: 0, which picks a free port. */
  readonly port?: number;
  /** The certificate for TLS; its files are reloaded when they change. Default: cleartext. */
  readonly tls?: CertificateFiles | undefined;
  /** Trusted proxies. Default: none. */
  readonly proxies?: ProxyOptions | undefined;
  readonly limits?: LimitOptions;
  /** Origins whose pages may call from a browser; `*` means every origin. Default: none. */
  readonly origins?: readonly string[];
  /** Additional request headers that these pages may send, in lower case; `*` means every header. */
  readonly corsHeaders?: readonly string[];
  /** Unary methods that the fast path can call without their handlers. Default: none. */
  readonly unaryOf?: FastMethods["unaryOf"];
  /** Server-streaming methods that the fast path can call without their handlers. Default: none. */
  readonly streamOf?: FastMethods["streamOf"];
  /** The message types that a google.protobuf.Any in JSON may contain. Default: none. */
  readonly types?: Registry;
  /** The timeout of each method. Default: methods have no timeout. */
  readonly methodTimeout?: MethodTimeout;
  /** Loads the comments that the console shows, by full name. Default: no comments. */
  readonly comments?: ConsoleOptions["comments"];
  /** Example request messages for the console. */
  readonly examples?: Examples;
  /**
   * Whether to serve the console at `/`, a page that calls the methods from a browser. If callers are
   * authorized, all data of the page needs a token. Default: true if
   * `host` is a loopback address and `hosts` is not set, and false otherwise.
   */
  readonly console?: boolean | undefined;
  /**
   * Returns what all processes of the gateway have counted, for the console; undefined if the other processes
   * do not respond. Default: the console shows this process.
   */
  readonly survey?: (() => Promise<Survey | undefined>) | undefined;
  /**
   * Whether clients can discover the services and their schema through gRPC reflection, the List method of
   * health, and errors for unknown paths. Default: true.
   */
  readonly reflection?: boolean | undefined;
  /**
   * Returns the upstream that a method calls, and the limit of concurrent calls to this upstream. Default:
   * none.
   */
  readonly shareOf?: (method: DescMethod) => UpstreamShare | undefined;
  /** Returns whether a method watches a feed; such streams have a separate limit. Default: no method does. */
  readonly isWatch?: (method: DescMethod) => boolean;
  /**
   * Called during a drain, after `drainNoticeMs`, so that streams that wait for events can end in an orderly
   * way. Default: does nothing.
   */
  readonly onDrain?: (() => void) | undefined;
  /** Returns the load of the process, for tests. */
  readonly load?: () => Load;
  /**
   * Returns a number from 0 to 1 that decides which calls an overloaded process rejects, for tests. Default:
   * random.
   */
  readonly random?: () => number;
  /**
   * Requires a token in every call, and issues tokens. Default: anyone who can reach the server may call it.
   */
  readonly authorization?: ((parts: ServerParts) => CallerAuthorization) | undefined;
  /** The metrics to update. Default: none. */
  readonly metrics?: Metrics;
  /** Default: nothing is logged. */
  readonly log?: Logger;
}

/** A listening server. */
export interface Server {
  /** `http://host:port`, or `https:`. */
  readonly url: string;
  readonly port: number;
  /** The URL of the console; undefined if the console is not served. */
  readonly consoleUrl: string | undefined;
  /** The served services, without the services of the gateway itself. */
  readonly services: readonly DescService[];
  /** Resolves once the validation of messages has been loaded; calls are served even before. */
  readonly warm: Promise<void>;
  /** Returns the number of running and waiting calls. */
  calls(): number;
  /** Returns the latest failed calls, the latest first; none if the console is not served. */
  failures(): readonly Failure[];
  /** Applies settings that can change while the server runs. */
  reload(change: ServerChange): void;
  /** Fails readiness, waits for calls in flight, and resolves once the last connection is closed. */
  close(options?: CloseOptions): Promise<void>;
}

/** Settings that can change while a server runs. */
export interface ServerChange {
  /** All limits. Limits that are absent get their defaults. Limits that need a restart are not changed. */
  readonly limits?: LimitOptions | undefined;
  /** The files of the certificate. If absent, the certificate is not changed. */
  readonly tls?: CertificateFiles | undefined;
}

/** Options for closing a server. */
export interface CloseOptions {
  /** Whether to stop listening immediately, without waiting for `drainNoticeMs`. Default: false. */
  readonly skipNotice?: boolean;
  /**
   * Whether another process listens in place of this one. If so, readiness does not fail, no connections are
   * accepted, and open connections have two seconds for a last request. Default: false.
   */
  readonly isReplaced?: boolean;
}
