/** Tests records of server-sent events whose data has the keys that receive the event's name and ID. */
import { type Difference, table } from "connect-rest-codec/internal";
import fc from "fast-check";
import { expect, test } from "vitest";
import { records } from "../adapter/adapter.ts";
import { createRest } from "../rest.ts";
import { httpUpstream } from "../testing/servers.ts";
import { type Item, listAdapter, StreamService, streamService } from "../testing/stream-service.ts";

const { list } = StreamService.method;
const plain = listAdapter({ kind: "link", path: "" });
const item = table("test.v1.Item", () => [
  [1, "uint64", "id"],
  [2, "string", "name"],
]);

/** Returns the records of one event, and the reported differences. */
async function read(data: unknown, size: number): Promise<{ items: Item[]; differences: Difference[] }> {
  const text = JSON.stringify(data).replace("{", `{${" ".repeat(size)}`);
  const server = await httpUpstream((_request, response) => {
    response.setHeader("content-type", "text/event-stream");
    response.end(`event: made\nid: 7\ndata: ${text}\n\n`);
  });
  const differences: Difference[] = [];
  const adapter = records(list, {
    rules: plain.rules,
    request: plain.request,
    format: "events",
    event: "name",
    id: "id",
    item,
  });
  const rest = createRest({
    adapters: [streamService("list", adapter)],
    upstreams: { things: { baseUrl: server.url } },
    onDifference: (report) => differences.push(...report.differences),
  });
  const messages = (async function* () {
    yield {};
  })();
  const { message } = await rest.transport.stream(list, undefined, undefined, undefined, messages);
  const items: Item[] = [];
  for await (const each of message as AsyncIterable<Item>) items.push(each);
  await rest.close();
  return { items, differences };
}

test("property: a value of the data that the event's name or ID replaces is reported as lost, unless both are equal", async () => {
  const value = (same: unknown) =>
    fc.constantFrom<unknown>(undefined, null, same, "other", 8, "", false, [], { a: 1 });
  await fc.assert(
    fc.asyncProperty(
      fc.record({ name: value("made"), id: fc.oneof(value("7"), fc.constant(7)) }),
      fc.constantFrom(0, 70_000),
      async (data, size) => {
        const { items, differences } = await read(data, size);
        expect(items).toMatchObject([{ id: 7n, name: "made" }]);
        const isLost = (key: "name" | "id", kept: string) =>
          (data[key] ?? null) !== null && (typeof data[key] === "object" || String(data[key]) !== kept);
        const lost = [
          ...(isLost("name", "made") ? ["[0].name"] : []),
          ...(isLost("id", "7") ? ["[0].id"] : []),
        ];
        expect(differences.filter((each) => each.class === "lost").map(({ path }) => path)).toEqual(lost);
      },
    ),
    { numRuns: 60 },
  );
});
