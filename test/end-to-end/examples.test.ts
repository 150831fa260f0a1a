import { spawnSync } from "node:child_process";
import path from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { CommunityService } from "../../gen/community/v1/community_pb.ts";
import { FilterService } from "../../gen/user/v1/filter_pb.ts";
import { UserService } from "../../gen/user/v1/user_pb.ts";
import { type Child, ROOT, startChild } from "./child.ts";
import { shell } from "./shell.ts";

const hasCurl = spawnSync("curl", ["--version"]).status === 0;

let child: Child;
/** The commands on the start page by method, in the order of the page. */
let commands: ReadonlyMap<string, string>;

beforeAll(async () => {
  const bin = path.join(ROOT, "gateway/src/bin.ts");
  child = startChild(process.execPath, [bin, "serve", "--sandbox"]);
  const [, url = ""] = await child.printed(/^gateway ready on (http:\S+)$/m);
  const response = await fetch(`${url}/`, { headers: { connection: "close" } });
  const shown = (await response.text()).matchAll(/<pre>(.*?)<\/pre>/gs);
  commands = new Map(
    [...shown].map(([, html = ""]) => {
      const command = textOf(html);
      return [command.slice(command.lastIndexOf(`${url}/`) + url.length + 1), command];
    }),
  );
});
afterAll(() => child.signalAll("SIGKILL"));

const CHARACTERS: Readonly<Record<string, string>> = {
  "&amp;": "&",
  "&lt;": "<",
  "&gt;": ">",
  "&quot;": '"',
  "&#39;": "'",
};

function textOf(html: string): string {
  return html.replaceAll(/&[a-z0-9#]+;/g, (entity) => CHARACTERS[entity] ?? entity);
}

const SERVICES = [UserService, FilterService, CommunityService];
const NAMES = SERVICES.flatMap(({ typeName, methods }) => methods.map(({ name }) => `${typeName}/${name}`));

test
  .skipIf(!hasCurl)
  .each([
    ...["blog.v1.BlogService/GetBlogInfo", "blog.v1.PostService/ListTaggedPosts"],
    ...["blog.v1.PostService/StreamTaggedPosts"],
    ...NAMES,
  ])("the start page's command for %s succeeds when it is pasted", async (name) => {
  const command = commands.get(name) ?? "";
  expect(command).not.toContain("...");
  const printed = await shell(command);
  expect(printed).not.toContain('"code":');
  const streams = command.startsWith("npx buf curl");
  expect(JSON.parse(streams ? `[${printed.trim().replaceAll(/\}\n\{/g, "},{")}]` : printed)).toBeTypeOf(
    "object",
  );
  if (streams) expect(printed).not.toBe("");
});

test.skipIf(!hasCurl)(
  "the sandbox's user has a dashboard, likes, follows, filters, two communities and an invitation",
  async () => {
    const call = async (name: string) => JSON.parse(await shell(commands.get(name) ?? "")) as unknown;
    expect(await call("user.v1.UserService/ListDashboard")).toMatchObject({ posts: [{}, {}, {}] });
    expect(await call("user.v1.UserService/ListLikes")).toMatchObject({ likedPosts: [{}, {}, {}] });
    expect(await call("user.v1.UserService/ListFollowing")).toMatchObject({ blogs: [{}, {}, {}] });
    expect(await call("user.v1.FilterService/ListFilteredTags")).toMatchObject({
      filteredTags: expect.arrayContaining(["spoilers", "finale"]),
    });
    expect(await call("community.v1.CommunityService/ListCommunities")).toMatchObject({
      communities: [{ name: "book-club" }, { name: "gardeners" }, { name: "night-sky" }],
    });
  },
);
