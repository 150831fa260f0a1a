import { isIPv6 } from "node:net";

/**
 * Counts what clients have, e.g. their connections, and says when one has too many. Up to half of all there may be is
 * anybody's, so that a single client, such as a proxy, is not held back while nobody else is there; the other half is shared:
 * a client gets of it only while it has less than its own part.
 */
export class Crowd {
  private readonly max: number;
  private readonly perClient: number;
  private readonly byClient = new Map<string, number>();
  private all = 0;

  /** @param max there may be in all; `perClient` once half of them are taken */
  constructor(max: number, perClient: number) {
    this.max = max;
    this.perClient = perClient;
  }

  get size(): number {
    return this.all;
  }

  /** Whether half of what there may be is taken. */
  get isContended(): boolean {
    return this.all >= this.max / 2;
  }

  /** What is exceeded by one more of a client; undefined for nothing. */
  excess(client: string): "all" | "client" | undefined {
    if (this.all >= this.max) return "all";
    return this.isContended && (this.byClient.get(clientKey(client)) ?? 0) >= this.perClient
      ? "client"
      : undefined;
  }

  /** Adds one of a client; the returned function, to be called once, takes it away. */
  add(client: string): () => void {
    this.enter(client);
    return () => this.leave(client);
  }

  /** The same for those who know themselves when to leave, which is once. */
  enter(client: string): void {
    const key = clientKey(client);
    this.all += 1;
    this.byClient.set(key, (this.byClient.get(key) ?? 0) + 1);
  }

  leave(client: string): void {
    const key = clientKey(client);
    this.all -= 1;
    const left = (this.byClient.get(key) ?? 0) - 1;
    if (left > 0) {
      this.byClient.set(key, left);
    } else {
      this.byClient.delete(key);
    }
  }
}

/** What tells clients apart: IPv4 addresses, and the first 64 bits of IPv6 ones, of which a client has all (RFC 6177). */
export function clientKey(address: string): string {
  if (!address.includes(":") || !isIPv6(address)) return address;
  const [head = "", tail] = address.split("%", 1)[0]?.split("::") ?? [];
  const start = head === "" ? [] : head.split(":");
  const end = tail === undefined || tail === "" ? [] : tail.split(":");
  const zeros = tail === undefined ? 0 : Math.max(0, 8 - start.length - end.length);
  const parts = [...start, ...Array<string>(zeros).fill("0"), ...end].slice(0, 4);
  return parts.map((part) => Number.parseInt(part, 16).toString(16)).join(":");
}
