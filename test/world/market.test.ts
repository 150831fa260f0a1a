import { create } from "@bufbuild/protobuf";
import { ValueSchema } from "@bufbuild/protobuf/wkt";
import { expect, test } from "vitest";
import { MarketService } from "../gen/world/v1/market_pb.ts";
import { MarketServiceRest } from "../gen/world/v1/market_rest.ts";
import { start } from "../rules/world.ts";

const market = (json: unknown) => start(MarketService, MarketServiceRest, { json });

test("rows are read as messages", async () => {
  const { client, differences } = await market([
    [1499040000000, "0.01634790", "0.80000000", 308, "0"],
    [1499040060000, "0.8", "0.9"],
  ]);
  const { candles } = await client.listCandles({ symbol: "BTC" });
  expect(candles).toMatchObject([
    {
      openTime: { seconds: 1499040000n },
      open: "0.01634790",
      close: "0.80000000",
      trades: 308,
      unused: create(ValueSchema, { kind: { case: "stringValue", value: "0" } }),
    },
    { openTime: { seconds: 1499040060n }, open: "0.8", close: "0.9" },
  ]);
  expect(differences).toEqual([]);
});

test("a response has a head, and then its items", async () => {
  const { client, differences } = await market([{ page: 1, total: 2 }, { id: "AW" }, { id: "AF" }]);
  expect(await client.listCountries({})).toMatchObject({
    page: { page: 1, total: 2 },
    countries: [{ id: "AW" }, { id: "AF" }],
  });
  expect(differences).toEqual([]);
});

test("a request contains an array", async () => {
  const { client, seen } = await market({ name: "Rome", position: [12.5, 41.9, 21] });
  const position = { longitude: 12.5, latitude: 41.9 };
  expect((await client.addPlace({ place: { name: "Rome", position } })).position?.altitude).toBe(21);
  expect(seen[0]?.text).toBe('{"name":"Rome","position":[12.5,41.9]}');
});
