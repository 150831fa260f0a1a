import type { Clock } from "connect-rest-codec/internal";
import { fetchDispatcher } from "../http/fetch-dispatcher.ts";
import type { Requester } from "../http/requester.ts";
import { Supplied } from "../http/supplied.ts";
import type { Connections } from "./connections.ts";
import { isPrivateText } from "./local-host.ts";
import type { UpstreamSettings } from "./options.ts";
import type { SuppliedClient } from "./supplied-client.ts";

/**
 * Returns the connections of a supplied client. The runtime cannot see the addresses to which they connect.
 */
export function suppliedConnections(
  client: SuppliedClient,
  settings: UpstreamSettings,
  clock: Clock,
  isPrivate: (address: string) => boolean,
): Connections {
  const dispatcher =
    client.kind === "fetch" ? fetchDispatcher(client.fetch) : (client.dispatcher as Requester);
  const supplied = new Supplied(dispatcher, settings, clock);
  const mayBePublic = (origin: string) => !isPrivateText(origin, isPrivate);
  return {
    kind: client.kind,
    secrets: [],
    base: () => supplied,
    hop: () => supplied,
    isPublic: mayBePublic,
    mayBePublic,
    isForwarded: () => false,
    close: () => supplied.close(),
  };
}
