/** A message from a server's process to its parent. */
export type ServerMessage =
  | Ready
  /** The processor time of the process so far, in microseconds. */
  | { readonly type: "cpu"; readonly microseconds: number };

/** The message that a server sends when it listens. */
export interface Ready {
  readonly type: "ready";
  readonly ports: Ports;
  /** The address of its metrics, if it has any. */
  readonly metrics?: string | undefined;
}

/** The ports of a server by protocol. A server may have only one of them. */
export interface Ports {
  readonly http1?: number;
  readonly http2?: number;
}

/** The optional properties of a server. */
export interface Extras {
  /** The address of its metrics, if it has any. */
  readonly metrics?: string | undefined;
  /** Further questions that the parent may ask, by name. */
  readonly questions?: Readonly<Record<string, () => unknown>>;
}

/**
 * Reports that the server listens, answers the parent's questions, which always include the processor time,
 * and exits on disconnect.
 */
export function serveParent(ports: Ports, { metrics, questions = {} }: Extras = {}): void {
  const send = (message: unknown) => process.send?.(message);
  process.on("message", async ({ type }: { readonly type: string }) => {
    const question = questions[type];
    if (question !== undefined) {
      send(await question());
      return;
    }
    const { user, system } = process.cpuUsage();
    send({ type: "cpu", microseconds: user + system } satisfies ServerMessage);
  });
  process.on("disconnect", () => process.exit());
  send({ type: "ready", ports, metrics } satisfies ServerMessage);
}

/** Returns the address of the upstream from the first argument. */
export function upstreamArgument(): string {
  const [, , upstream] = process.argv;
  if (upstream === undefined) {
    throw new Error("expected the address of the upstream as first argument, got none");
  }
  return upstream;
}

/** Listens on a free port of the loopback address. */
export function listenLocally(server: {
  listen(port: number, host: string, done: () => void): unknown;
  address(): { port: number } | string | null;
}): Promise<number> {
  return new Promise((resolve, reject) => {
    server.listen(0, "127.0.0.1", () => {
      const address = server.address();
      if (address === null || typeof address === "string") {
        reject(new Error("the server has no port"));
      } else {
        resolve(address.port);
      }
    });
  });
}
