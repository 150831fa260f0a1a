import { expect, test } from "vitest";
import { RequiredService } from "../gen/rules/v1/required_pb.ts";
import { RequiredServiceRest } from "../gen/rules/v1/required_rest.ts";
import { start } from "./world.ts";

const required = () => start(RequiredService, RequiredServiceRest);

test("required fields with zero values are in the query, but in a nested message only if the message is set", async () => {
  const { client, seen } = await required();
  await client.queryRequired({});
  await client.queryRequired({ inner: {}, text: "a" });
  expect(seen.map(({ line }) => line)).toEqual([
    "GET /required?count=0&text=&flag=false",
    "GET /required?count=0&text=a&flag=false&inner.size=0",
  ]);
});

test("required fields with zero values are in the body, including lists", async () => {
  const { client, seen } = await required();
  await client.sendRequired({ inner: {} });
  expect(JSON.parse(seen[0]?.text ?? "")).toEqual({
    count: 0,
    text: "",
    flag: false,
    inner: { size: 0 },
    tags: [],
  });
});

test("omit_required_zeros: required fields with zero values are omitted", async () => {
  const { client, seen } = await required();
  await client.omitRequired({ inner: {} });
  await client.sendOmitted({ inner: {} });
  expect(seen.map(({ line, text }) => [line, text])).toEqual([
    ["GET /required", ""],
    ["POST /required", '{"inner":{}}'],
  ]);
});
