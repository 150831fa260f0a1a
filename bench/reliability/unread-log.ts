import { call, calls, PAGE } from "./call.ts";
import { type CommandSettings, startCommand } from "./command.ts";
import type { Figure } from "./figure.ts";
import { sendJson, startUpstream } from "./world.ts";

/** More lines than pipes and queues can buffer. */
const CALLS = 10_000;

/** Measures call latency while nobody reads the command's output, in comparison to a log file. */
export async function measureUnreadLog(): Promise<Figure[]> {
  await using upstream = await startUpstream((_, response) => sendJson(response, 200, PAGE));
  const measured = async (settings: CommandSettings) => {
    await using gateway = await startCommand(upstream.url, settings);
    const startedAt = performance.now();
    const responses = await calls(CALLS, 16, () => call(gateway.port));
    const good = responses.filter(({ status }) => status === 200).length;
    return { ms: performance.now() - startedAt, good };
  };
  const read = await measured({ observed: true });
  const unread = await measured({ unreadLog: true });
  const where = `${CALLS} calls while nobody reads their log`;
  return [
    { name: `time of ${where}`, unit: "x", value: unread.ms / read.ms, bound: { atMost: 3 } },
    { name: `served of ${where}`, unit: "", value: unread.good / CALLS, bound: { atLeast: 1 } },
  ];
}
