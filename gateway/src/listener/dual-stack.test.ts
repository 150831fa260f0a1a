import net from "node:net";
import { createClient } from "@connectrpc/connect";
import { createConnectTransport } from "@connectrpc/connect-node";
import { expect, onTestFinished, test } from "vitest";
import { EchoService } from "../gen/echo/v1/echo_pb.ts";
import { startServer } from "../server.ts";
import { echoService } from "../testing/echo.ts";

/** Connects to the server from a local IPv4 address. */
function connect(port: number, localAddress: string): Promise<"open" | "closed"> {
  const socket = net.connect({ port, host: "127.0.0.1", localAddress });
  onTestFinished(() => void socket.destroy());
  return new Promise((resolve) => {
    socket.once("close", () => resolve("closed")).once("error", () => resolve("closed"));
    // the server closes a rejected connection before any response
    socket.once("data", () => resolve("open"));
    socket.write("GET /nowhere HTTP/1.1\r\nhost: 127.0.0.1\r\n\r\n");
  });
}

test("on `::`, an IPv4 client with too many connections leaves room for other IPv4 clients", async () => {
  const server = await startServer({
    ...echoService,
    host: "::",
    limits: { connections: 8, connectionsPerClient: 1, drainNoticeMs: 1, drainGraceMs: 100 },
  });
  onTestFinished(() => server.close());
  const greedy = await Promise.all(Array.from({ length: 6 }, () => connect(server.port, "127.0.0.2")));
  expect(greedy).toContain("closed");
  expect(await connect(server.port, "127.0.0.3")).toBe("open");
  const client = createClient(
    EchoService,
    createConnectTransport({ baseUrl: `http://127.0.0.1:${server.port}`, httpVersion: "1.1" }),
  );
  expect((await client.echo({ text: "from 127.0.0.1" })).text).toBe("from 127.0.0.1");
});
