import type { Clock } from "connect-rest-codec/internal";
import { FetchDispatcher } from "../http/fetch-dispatcher.ts";
import type { Requester } from "../http/requester.ts";
import { Supplied } from "../http/supplied.ts";
import type { Connections } from "./connections.ts";
import { isPrivateText } from "./local-host.ts";
import type { UpstreamSettings } from "./options.ts";
import type { SuppliedClient } from "./supplied-client.ts";

/** Connections that somebody else makes, to addresses that are not seen here. */
export class SuppliedConnections implements Connections {
  readonly kind: SuppliedClient["kind"];
  readonly secrets = [];
  private readonly supplied: Supplied;
  private readonly isPrivate: (address: string) => boolean;

  constructor(
    client: SuppliedClient,
    settings: UpstreamSettings,
    clock: Clock,
    isPrivate: (address: string) => boolean,
  ) {
    this.kind = client.kind;
    const dispatcher =
      client.kind === "fetch" ? new FetchDispatcher(client.fetch) : (client.dispatcher as Requester);
    this.supplied = new Supplied(dispatcher, settings, clock);
    this.isPrivate = isPrivate;
  }

  base(): Requester {
    return this.supplied;
  }

  hop(): Requester {
    return this.supplied;
  }

  isPublic(origin: string): boolean {
    return this.mayBePublic(origin);
  }

  mayBePublic(origin: string): boolean {
    return !isPrivateText(origin, this.isPrivate);
  }

  isForwarded(): boolean {
    return false;
  }

  close(): Promise<void> {
    return this.supplied.close();
  }
}
