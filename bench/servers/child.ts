/** What a server's process tells its parent. */
export type ServerMessage =
  | Ready
  /** Processor time of the process so far, in microseconds. */
  | { readonly type: "cpu"; readonly microseconds: number };

/** A server listens. */
export interface Ready {
  readonly type: "ready";
  readonly ports: Ports;
  /** Where its metrics are, if it has some. */
  readonly metrics?: string | undefined;
}

/** The ports of a server by the protocol they speak; a server may have one of them only. */
export interface Ports {
  readonly http1?: number;
  readonly http2?: number;
}

/** What a server has beside its ports. */
export interface Extras {
  /** Where its metrics are, if it has some. */
  readonly metrics?: string | undefined;
  /** What else the parent may ask, by name. */
  readonly questions?: Readonly<Record<string, () => unknown>>;
}

/**
 * Says that the server listens, responds to the parent's questions, first of all for processor time, and
 * exits when disconnected.
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

/** The address of the upstream, which the parent passes as first argument. */
export function upstreamArgument(): string {
  const [, , upstream] = process.argv;
  if (upstream === undefined) {
    throw new Error("expected the address of the upstream as first argument, got none");
  }
  return upstream;
}

/** Listens on a free port of this machine. */
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
