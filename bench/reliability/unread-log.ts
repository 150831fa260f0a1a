import { call, calls, PAGE } from "./call.ts";
import { startCommand } from "./command.ts";
import { CONTROL_MS, slowestBeside } from "./control.ts";
import type { Figure } from "./figure.ts";
import { sendJson, startUpstream } from "./world.ts";

/** More lines than pipes and queues hold. */
const CALLS = 10_000;

/** How long calls take while nobody reads what the command writes, neither its log nor its output. */
export async function measureUnreadLog(): Promise<Figure[]> {
  await using upstream = await startUpstream((_, response) => sendJson(response, 200, PAGE));
  await using gateway = await startCommand(upstream.url, { unreadLog: true });
  let good = 0;
  const value = await slowestBeside(gateway.port, async () => {
    const responses = await calls(CALLS, 16, () => call(gateway.port));
    good = responses.filter(({ status }) => status === 200).length;
  });
  return [
    {
      name: `slowest call while nobody reads the log of ${CALLS} others`,
      unit: "ms",
      value,
      bound: { atMost: CONTROL_MS },
    },
    { name: "calls served meanwhile", unit: "", value: good / CALLS, bound: { atLeast: 1 } },
  ];
}
