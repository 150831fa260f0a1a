import { Code } from "@connectrpc/connect";
import { expect, test } from "vitest";
import { failureOf } from "../../runtime/src/testing/failure.ts";
import { ForgeService } from "../gen/world/v1/forge_pb.ts";
import { ForgeServiceRest } from "../gen/world/v1/forge_rest.ts";
import { start } from "../rules/world.ts";

const forge = (answers?: Parameters<typeof start>[2]) => start(ForgeService, ForgeServiceRest, answers);

test("two variables share one path segment", async () => {
  const { client, seen } = await forge();
  await client.compareBranches({ repo: "r", base: "main", head: "me:fix/2.x" });
  await client.getArchive({ repo: "r", ref: "v2", format: "zip" });
  await client.getArchive({ repo: "r", ref: "v2" });
  expect(seen.map(({ line }) => line)).toEqual([
    "GET /repos/r/compare/main...me%3Afix%2F2.x",
    "GET /repos/r/archive/v2.zip",
    "GET /repos/r/archive?ref=v2",
  ]);
});

test.each([
  ["main...x", "fix", "base", "..."],
  ["main", "x...fix", "head", "..."],
  ["main.", "fix", "base", "..."],
  ["main", ".fix", "head", "..."],
  ["main", "x..........fix", "head", "..."],
])(
  "a value that would move the text between two variables is rejected: %s, %s",
  async (base, head, field) => {
    const { client, seen } = await forge();
    const failure = await failureOf(client.compareBranches({ repo: "r", base, head }));
    expect(failure.code).toBe(Code.InvalidArgument);
    expect(failure.rawMessage).toBe(
      `${field}: contains "...", which separates the values of a path segment, so it cannot be part of a URL path; send a value without it`,
    );
    expect(seen).toEqual([]);
  },
);

test("a parameter is a number or a text", async () => {
  const { client, seen } = await forge();
  const number = { milestone: { case: "number", value: 9007199254740993n } } as const;
  const title = { milestone: { case: "title", value: "v1.0 / beta" } } as const;
  await client.listIssues({ repo: "r", milestone: number, except: [title, number] });
  await client.listIssues({ repo: "r", milestone: title });
  await client.listIssues({ repo: "r" });
  await client.getMilestone({ repo: "r", milestone: number });
  await client.getMilestone({ repo: "r", milestone: title });
  expect(seen.map(({ line }) => line.slice("GET /repos/r/".length))).toEqual([
    "issues?milestone=9007199254740993&except=v1.0%20%2F%20beta,9007199254740993",
    "issues?milestone=v1.0%20%2F%20beta",
    "issues",
    "milestones/9007199254740993",
    "milestones/v1.0%20%2F%20beta",
  ]);
});

test.each(["7", "1e3", "0x1F", " 7"])(
  "a text that servers may read as a number is rejected: %s",
  async (value) => {
    const { client, seen } = await forge();
    const milestone = { milestone: { case: "title", value } } as const;
    for (const call of [client.listIssues, client.getMilestone]) {
      const failure = await failureOf(call({ repo: "r", milestone }));
      expect(failure.rawMessage).toMatch(
        /^milestone.title: is read as a number, which chooses another member of its oneof/,
      );
      expect(failure.code).toBe(Code.InvalidArgument);
    }
    expect(seen).toEqual([]);
  },
);

test("a path without a member of the union is rejected", async () => {
  const { client } = await forge();
  const empty = await failureOf(client.getMilestone({ repo: "r", milestone: {} }));
  expect(empty.rawMessage).toMatch(/^milestone: has no member set/);
  const unset = await failureOf(client.getMilestone({ repo: "r" }));
  expect(unset.rawMessage).toMatch(/^milestone: is empty/);
});

test("headers are percent-encoded", async () => {
  const { client, seen } = await forge();
  const file = { contentType: "text/plain", data: Buffer.from("a") };
  await client.attachFile({ repo: "r", name: "größe, 100%\n.txt", labels: ["a, b", "ü"], file });
  expect(seen[0]?.headers.filter((line) => /^x-/i.test(line))).toEqual([
    "x-file-name: gr%C3%B6%C3%9Fe%2C%20100%25%0A.txt",
    "x-labels: UTF-8''a%2C%20b, UTF-8''%C3%BC",
  ]);
  const failure = await failureOf(client.attachFile({ repo: "r", labels: ["\ud800"], file }));
  expect(failure.code).toBe(Code.InvalidArgument);
});
