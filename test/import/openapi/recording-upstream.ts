import { createServer, type IncomingMessage, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { buffer } from "node:stream/consumers";
import type { RecordedRequest } from "./request-checker.ts";

/** An upstream on the loopback interface that records requests, and answers with an error. */
export class RecordingUpstream {
  readonly address: string;
  private readonly server: Server;
  private readonly recorded: RecordedRequest[];

  private constructor(server: Server, recorded: RecordedRequest[]) {
    this.server = server;
    this.recorded = recorded;
    this.address = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  }

  static async start(): Promise<RecordingUpstream> {
    const recorded: RecordedRequest[] = [];
    const server = createServer((request, response) => {
      void record(request).then((each) => {
        recorded.push(each);
        // a status that is not retried
        response.writeHead(418).end();
      });
    });
    await new Promise<void>((done) => server.listen(0, "127.0.0.1", done));
    return new RecordingUpstream(server, recorded);
  }

  /** Returns the requests since the last call. */
  take(): RecordedRequest[] {
    return this.recorded.splice(0);
  }

  async close(): Promise<void> {
    await new Promise((done) => {
      this.server.close(done);
      this.server.closeAllConnections();
    });
  }
}

async function record(request: IncomingMessage): Promise<RecordedRequest> {
  const headers = Object.entries(request.headers).map(([name, value]) => [name, String(value)] as const);
  const body = new Uint8Array(await buffer(request));
  return { method: request.method ?? "", target: request.url ?? "", headers: new Map(headers), body };
}
