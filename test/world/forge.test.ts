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
