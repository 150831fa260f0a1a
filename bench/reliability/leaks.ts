import type { Connection } from "../load/connection.ts";
import { connectHttp1 } from "../load/http1.ts";
import { connectHttp2 } from "../load/http2.ts";
import { PAGE, target } from "./call.ts";
import type { Figure } from "./figure.ts";
import { Subject, sendJson, startUpstream } from "./world.ts";

const WARM_UP = 20_000;
const CONNECTIONS = 32;
/** The client aborts one of this many calls. */
const ABORTED = 10;

/** Measures the heap growth over many calls, a tenth of which are aborted. */
export async function measureLeaks(calls: number): Promise<Figure[]> {
  let requests = 0;
  await using upstream = await startUpstream((_, response) => {
    // A call that will be aborted is delayed.
    if (++requests % ABORTED === 0) {
      setTimeout(() => sendJson(response, 200, PAGE), 20);
    } else {
      sendJson(response, 200, PAGE);
    }
  });
  await using gateway = await Subject.start("reliable-gateway", {
    upstream: upstream.url,
    options: { breaker: false },
  });
  await manyCalls(gateway.port, WARM_UP);
  const before = await gateway.heap();
  await manyCalls(gateway.port, calls);
  const after = await gateway.heap();
  return [
    {
      name: `heap after ${calls} calls, ${100 / ABORTED} % left by clients`,
      unit: "%",
      value: (after / before - 1) * 100,
      bound: { atMost: 5 },
    },
  ];
}

async function manyCalls(port: number, count: number): Promise<void> {
  let started = 0;
  const worker = async (_: unknown, index: number) => {
    const open = () =>
      index % 2 === 0 ? connectHttp1(target(port)) : connectHttp2({ ...target(port), protocol: "http2" });
    let connection = await open();
    for (let number = started++; number < count; number = started++) {
      if (number % ABORTED === 0) {
        await leave(connection);
        connection = await open();
      } else {
        await connection.call();
      }
    }
    connection.close();
  };
  await Promise.all(Array.from({ length: CONNECTIONS }, worker));
}

/** Sends a call, and closes the connection before or during the response. */
async function leave(connection: Connection): Promise<void> {
  const call = connection.call().catch(() => undefined);
  await new Promise((resolve) => setTimeout(resolve, 3));
  connection.close();
  await call;
}
