import { create } from "@bufbuild/protobuf";
import { Code, type ConnectError, type HandlerContext, type ServiceImpl } from "@connectrpc/connect";
import { callKey } from "../call/call.ts";
import { gatewayError } from "../call/gateway-error.ts";
import {
  type HealthCheckResponse,
  HealthCheckResponseSchema,
  type Health as HealthService,
  HealthCheckResponse_ServingStatus as Status,
} from "../gen/grpc/health/v1/health_pb.ts";
import type { Limits, OnLimit } from "../limits.ts";
import { Callbacks } from "../listener/callbacks.ts";
import { ClientCounts } from "../listener/client-counts.ts";
import { show } from "../text/show.ts";

/** The maximum number of services that the protocol allows in a List response. */
const MAX_LISTED = 100;

/** The readiness of the gateway, for `grpc.health.v1`, `/readyz`, and listeners for changes. */
export class Health {
  private readonly draining = new AbortController();
  private readonly watches: ClientCounts;
  private readonly onLimit: OnLimit;
  private services: readonly string[] = [];
  private listed: readonly string[] = [];

  constructor(limits: Limits, onLimit: OnLimit) {
    this.watches = new ClientCounts(limits.healthWatches, limits.healthWatchesPerClient);
    this.onLimit = onLimit;
  }

  /**
   * Sets the services that are served, and the services that List returns. By default, List returns all of
   * them.
   */
  serve(services: readonly string[], listed: readonly string[] = services): void {
    this.services = services;
    this.listed = listed;
  }

  /** Sets every service to NOT_SERVING. */
  drain(): void {
    this.draining.abort();
  }

  get isDraining(): boolean {
    return this.draining.signal.aborted;
  }

  /** Returns the handlers of `grpc.health.v1.Health`. The empty service name is the gateway as a whole. */
  routes(): ServiceImpl<typeof HealthService> {
    return {
      check: ({ service }) => {
        if (this.isKnown(service)) return statusResponse(this.status());
        throw gatewayError("SERVICE_UNKNOWN", `no service ${show(service)} is served here`, Code.NotFound);
      },
      list: () => {
        const names = ["", ...this.listed];
        if (names.length > MAX_LISTED) throw tooMany(names.length);
        return { statuses: Object.fromEntries(names.map((name) => [name, statusResponse(this.status())])) };
      },
      watch: ({ service }, context) => this.watch(service, context),
    };
  }

  private async *watch(service: string, context: HandlerContext): AsyncGenerator<HealthCheckResponse> {
    const client = context.values.get(callKey)?.key ?? "";
    if (this.watches.excess(client) !== undefined) {
      this.onLimit("healthWatches");
      throw gatewayError("OVERLOADED", "too many watch already, the limit healthWatches", Code.Unavailable);
    }
    const leave = this.watches.add(client);
    try {
      yield* this.statuses(service, context);
    } finally {
      leave();
    }
  }

  private async *statuses(service: string, context: HandlerContext): AsyncGenerator<HealthCheckResponse> {
    const isKnown = this.isKnown(service);
    yield statusResponse(isKnown ? this.status() : Status.SERVICE_UNKNOWN);
    if (!this.isDraining) {
      await aborted(AbortSignal.any([this.draining.signal, context.signal]));
      if (context.signal.aborted) return;
      if (isKnown) yield statusResponse(Status.NOT_SERVING);
    }
    throw gatewayError("SHUTTING_DOWN", "the gateway is shutting down; watch another one", Code.Unavailable);
  }

  private isKnown(service: string): boolean {
    return service === "" || this.services.includes(service);
  }

  private status(): Status {
    return this.isDraining ? Status.NOT_SERVING : Status.SERVING;
  }
}

function statusResponse(status: Status): HealthCheckResponse {
  return create(HealthCheckResponseSchema, { status });
}

function tooMany(count: number): ConnectError {
  return gatewayError(
    "RESPONSE_TOO_LARGE",
    `${count} services are more than ${MAX_LISTED}, all that List may name`,
    Code.ResourceExhausted,
  );
}

function aborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    if (signal.aborted) {
      resolve();
    } else {
      new Callbacks(reject).onAbort(signal, resolve);
    }
  });
}
