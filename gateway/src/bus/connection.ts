import type { ConnectionOptions } from "node:tls";
import { createClient, RESP_TYPES } from "@redis/client";
import { Secret, type TlsOptions } from "connect-rest-runtime";
import type { BusOptions } from "./bus-options.ts";
import type { Script } from "./scripts.ts";

/** The time after which an unanswered command means that the connection is dead, in milliseconds. */
const COMMAND_MS = 5000;
/** The timeout for connecting, in milliseconds. */
const CONNECT_MS = 5000;
/** The delay before the first reconnection, in milliseconds; the delay doubles with each attempt. */
const FIRST_WAIT_MS = 100;
const LONGEST_WAIT_MS = 2000;
/** The maximum number of commands that wait to be sent or answered. */
const MAX_COMMANDS = 10_000;

type Client = ReturnType<typeof newClient>;

/** Thrown for a command that cannot be sent because there is no connection. */
export class NotConnected extends Error {}

/** A connection that reconnects automatically. Commands fail while it is disconnected. */
export class Connection {
  private readonly options: BusOptions;
  private readonly onChange: (isConnected: boolean, error?: unknown) => void;
  private readonly channels = new Map<string, (message: string) => void>();
  private client: Client | undefined;
  private timer: NodeJS.Timeout | undefined;
  private waitMs = FIRST_WAIT_MS;
  private isReady = false;
  private isClosed = false;

  /**
   * @param onChange called when the connection is established or lost, and on each failed attempt; must not
   *   throw
   */
  constructor(options: BusOptions, onChange: (isConnected: boolean, error?: unknown) => void) {
    this.options = options;
    this.onChange = onChange;
    this.connect();
  }

  get isConnected(): boolean {
    return this.isReady;
  }

  /**
   * Runs a script. Returns strings as Buffers.
   *
   * @throws NotConnected, or an error of the server
   */
  async run(script: Script, keys: readonly string[], args: ReadonlyArray<string | Buffer>): Promise<unknown> {
    const { client } = this;
    if (client === undefined || !this.isReady) throw new NotConnected("no connection to the bus");
    const reply = client.eval(script.text, { keys: [...keys], arguments: [...args] });
    return await this.inTime(client, reply);
  }

  /** Subscribes to a channel, now and after each reconnection. */
  async subscribe(channel: string, listener: (message: string) => void): Promise<void> {
    this.channels.set(channel, listener);
    const { client } = this;
    if (client !== undefined && this.isReady) await this.inTime(client, client.subscribe(channel, listener));
  }

  async unsubscribe(channel: string): Promise<void> {
    this.channels.delete(channel);
    const { client } = this;
    if (client !== undefined && this.isReady) await this.inTime(client, client.unsubscribe(channel));
  }

  async close(): Promise<void> {
    this.isClosed = true;
    clearTimeout(this.timer);
    const { client } = this;
    this.client = undefined;
    this.isReady = false;
    if (client?.isReady === true) {
      await client.close().catch(() => undefined);
    } else {
      destroy(client);
    }
  }

  private connect(): void {
    const client = newClient(this.options);
    this.client = client;
    client.on("error", (error: unknown) => this.lost(client, error));
    client.on("end", () => this.lost(client, new Error("the connection was closed")));
    this.open(client).catch((error: unknown) => this.lost(client, error));
  }

  private async open(client: Client): Promise<void> {
    await this.inTime(client, client.connect());
    for (const [channel, listener] of this.channels) {
      await this.inTime(client, client.subscribe(channel, listener));
    }
    if (this.client !== client) return;
    this.isReady = true;
    this.waitMs = FIRST_WAIT_MS;
    this.onChange(true);
  }

  /**
   * Replaces a client after its first failure, since the client's built-in error recovery is unpredictable.
   */
  private lost(client: Client, error: unknown): void {
    if (this.client !== client) return;
    this.client = undefined;
    this.isReady = false;
    destroy(client);
    this.onChange(false, error);
    if (this.isClosed) return;
    // spreads out the reconnections of several processes
    const wait = this.waitMs * (0.5 + Math.random() / 2);
    this.waitMs = Math.min(this.waitMs * 2, LONGEST_WAIT_MS);
    this.timer = setTimeout(() => this.connect(), wait);
  }

  private inTime<T>(client: Client, work: Promise<T>): Promise<T> {
    return new Promise((resolve, reject) => {
      const timer = setTimeout(() => {
        const error = new Error(`no reply within ${COMMAND_MS} ms`);
        reject(error);
        this.lost(client, error);
      }, COMMAND_MS);
      work.then(resolve, reject).finally(() => clearTimeout(timer));
    });
  }
}

function destroy(client: Client | undefined): void {
  try {
    if (client?.isOpen === true) client.destroy();
  } catch {
    // already closed
  }
}

function secureContext({ ca, cert, key, serverName }: TlsOptions = {}) {
  const revealed = key instanceof Secret ? key.reveal() : key;
  return { ca, cert, key: revealed, servername: serverName } as Pick<
    ConnectionOptions,
    "ca" | "cert" | "key" | "servername"
  >;
}

function newClient({ url, username, password, tls }: BusOptions) {
  const isSecure = url.startsWith("rediss:");
  return createClient({
    url,
    ...(username && { username: username.reveal() }),
    ...(password && { password: password.reveal() }),
    name: "connect-rest",
    disableOfflineQueue: true,
    commandsQueueMaxLength: MAX_COMMANDS,
    maintNotifications: "disabled",
    commandOptions: { typeMapping: { [RESP_TYPES.BLOB_STRING]: Buffer } },
    socket: {
      connectTimeout: CONNECT_MS,
      reconnectStrategy: false,
      ...(isSecure && {
        tls: true as const,
        ...secureContext(tls),
      }),
    },
  });
}
