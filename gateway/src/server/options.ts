import type { DescMethod, DescService, Registry } from "@bufbuild/protobuf";
import type { ConnectRouter } from "@connectrpc/connect";
import type { UpstreamShare } from "../admission/admission.ts";
import type { Load } from "../admission/process-load.ts";
import type { CallerAuthorization, ServerParts } from "../authorization/caller-authorization.ts";
import type { MethodTimeout } from "../call/deadline.ts";
import type { FastMethods } from "../fast-path/fast-call.ts";
import type { LimitOptions } from "../limits.ts";
import type { CertificateFiles } from "../listener/certificate.ts";
import type { ProxyOptions } from "../listener/proxies.ts";
import type { Logger } from "../log/logger.ts";
import type { Metrics } from "../metrics/metrics.ts";
import type { Examples } from "../pages/example.ts";
import type { ServiceComments } from "../pages/start-page.ts";

/** How a server is started. */
export interface ServerOptions {
  /** The services to serve; health and reflection are added. */
  readonly routes: (router: ConnectRouter) => void;
  /** Default 127.0.0.1. */
  readonly host?: string;
  /**
   * The hosts of requests that are served; `*` is every one. Default, listening on loopback: its names and
   * the address. Elsewhere there is no default.
   */
  readonly hosts?: readonly string[] | undefined;
  /** Default 0, which picks a free one. */
  readonly port?: number;
  /** Speak TLS with this certificate; its files are read again when they change. Default: cleartext. */
  readonly tls?: CertificateFiles | undefined;
  /** Trusted proxies. Default: none. */
  readonly proxies?: ProxyOptions | undefined;
  readonly limits?: LimitOptions;
  /** Origins whose pages may call from a browser; `*` is every one. Default: none. */
  readonly origins?: readonly string[];
  /** Further request headers that these pages may send, in lower case; `*` is every one. */
  readonly corsHeaders?: readonly string[];
  /** Methods of the routes that the fast path can call without their handlers. Default: none. */
  readonly unaryOf?: FastMethods["unaryOf"];
  /** Server streams of the routes that the fast path can call without their handlers. Default: none. */
  readonly streamOf?: FastMethods["streamOf"];
  /** The types that a google.protobuf.Any in JSON may have. Default: none. */
  readonly types?: Registry;
  /** Default: methods have no deadline of their own. */
  readonly methodTimeout?: MethodTimeout;
  /** By the full name of the service, for the start page. */
  readonly comments?: ReadonlyMap<string, ServiceComments>;
  readonly examples?: Examples;
  /** Whether there is a start page. Default: true. */
  readonly pages?: boolean | undefined;
  /**
   * Whether the services and their schema can be learned by gRPC reflection, by the list of health, and from
   * errors of unknown paths. Default: true.
   */
  readonly reflection?: boolean | undefined;
  /** The upstream that a method calls, and how many calls of it may run. Default: none. */
  readonly shareOf?: (method: DescMethod) => UpstreamShare | undefined;
  /** Whether a method watches a feed: its streams have a limit of their own. Default: none does. */
  readonly isWatch?: (method: DescMethod) => boolean;
  /**
   * Told after the notice of a drain: streams that wait for news may end in their own way. Default: nothing.
   */
  readonly onDrain?: (() => void) | undefined;
  /** How busy the process is, for tests. */
  readonly load?: () => Load;
  /** Which of the calls an overloaded process rejects, from 0 to 1, for tests. Default: at random. */
  readonly random?: () => number;
  /** Requires a token with every call, and issues them. Default: whoever reaches the server may call. */
  readonly authorization?: ((parts: ServerParts) => CallerAuthorization) | undefined;
  /** Counts what happens. */
  readonly metrics?: Metrics;
  /** Default: nothing is logged. */
  readonly log?: Logger;
}

/** A server that listens. */
export interface Server {
  /** `http://host:port`, or `https:`. */
  readonly url: string;
  readonly port: number;
  /** The services that are served, without health and reflection. */
  readonly services: readonly DescService[];
  /** Resolves when what checks the constraints of messages is loaded; calls are served before. */
  readonly warm: Promise<void>;
  /** Calls that run or wait now. */
  calls(): number;
  /** Takes over what can change while the server runs. */
  reload(change: ServerChange): void;
  /** Fails readiness, lets calls in flight finish, and resolves when the last connection is closed. */
  close(options?: CloseOptions): Promise<void>;
}

/** What can change while a server runs. */
export interface ServerChange {
  /** All of them; those that are absent get their defaults. Limits that do not reload stay. */
  readonly limits?: LimitOptions | undefined;
  /** Absent: the certificate stays. */
  readonly tls?: CertificateFiles | undefined;
}

/** How a server ends. */
export interface CloseOptions {
  /** Stop listening at once, without `drainNoticeMs`. Default: false. */
  readonly skipNotice?: boolean;
  /**
   * Another process listens in its place: readiness does not fail, nothing new is taken, and open connections
   * have two seconds for a last request. Default: false.
   */
  readonly isReplaced?: boolean;
}
