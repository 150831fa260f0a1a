/** Runs the commands that the console copies, and tests what it keeps in the browser. */
import { execFile, spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { promisify } from "node:util";
import type { DescMethod, JsonValue } from "@bufbuild/protobuf";
import { afterAll, beforeAll, expect, test } from "vitest";
import { commandsFor } from "../../console/src/commands.ts";
import { linkTo, withoutSecrets } from "../../console/src/history.ts";
import { pathOf } from "../../console/src/schema.ts";
import { BlogService } from "../../gen/blog/v1/blog_pb.ts";
import { PostService } from "../../gen/blog/v1/post_pb.ts";
import { startWorld, type World } from "../end-to-end/world.ts";
import { consoleSchema } from "./schema.ts";

const run = promisify(execFile);
const hasCurl = spawnSync("curl", ["--version"]).status === 0;
const ROOT = path.resolve(import.meta.dirname, "../..");

let world: World;
beforeAll(async () => {
  world = await startWorld();
});
afterAll(() => world.close());

const { getBlogInfo } = BlogService.method;

function commandOf(name: string, method: DescMethod, message: JsonValue): string {
  const request = { message, headers: [["x-request-id", "it's $HOME"]] as const, timeoutMs: 20_000 };
  const command = commandsFor(method)[name];
  if (command === undefined) throw new Error(`there is no command ${name}`);
  return command(method, request, new URL(world.gateway.url));
}

async function shell(command: string): Promise<string> {
  return (await run("sh", ["-c", command], { cwd: ROOT })).stdout;
}

/** Each message has its own kind of quotes. */
const MESSAGES: readonly string[] = ["demo", "it's", '"$(touch x)`y`\\', "@file"];

test.skipIf(!hasCurl).each(MESSAGES)(
  "curl sends the blog identifier %s unchanged",
  async (blogIdentifier) => {
    const printed = JSON.parse(await shell(commandOf("curl", getBlogInfo, { blogIdentifier })));
    if (blogIdentifier === "demo") {
      expect(printed).toMatchObject({ blog: { name: "demo" } });
    } else {
      expect(printed).toMatchObject({ code: expect.stringMatching(/^(?:invalid_argument|not_found)$/) });
    }
  },
);

test.each(["curl", "buf curl", "grpcurl"])(
  "a shell reads each word of the command %s unchanged",
  async (name) => {
    for (const blogIdentifier of MESSAGES) {
      const command = commandOf(name, getBlogInfo, { blogIdentifier });
      const words = (await shell(command.replace(/^(?:npx )?\S+/, "printf '%s\\n'"))).split("\n");
      expect(words).toContain(JSON.stringify({ blogIdentifier }));
      expect(words).toContain("x-request-id: it's $HOME");
    }
  },
);

test("buf curl calls a unary method and a stream", async () => {
  const unary = await shell(commandOf("buf curl", getBlogInfo, { blogIdentifier: "demo" }));
  expect(JSON.parse(unary)).toMatchObject({ blog: { name: "demo" } });
  const { streamTaggedPosts } = PostService.method;
  expect(await shell(commandOf("buf curl", streamTaggedPosts, { tag: "seed" }))).toContain('"id"');
});

test("grpcurl gets the options of its manual", () => {
  const { host } = new URL(world.gateway.url);
  expect(commandOf("grpcurl", getBlogInfo, { blogIdentifier: "demo" })).toBe(
    `grpcurl -plaintext -H 'x-request-id: it'\\''s $HOME' -max-time 20 -d '{"blogIdentifier":"demo"}' ${host} ${pathOf(getBlogInfo)}`,
  );
});

test("the TypeScript program calls a unary method and a stream", async () => {
  const folder = mkdtempSync(path.join(tmpdir(), "program-"));
  try {
    for (const name of ["node_modules", "gen"]) symlinkSync(path.join(ROOT, name), path.join(folder, name));
    const outputOf = async (method: DescMethod, message: JsonValue) => {
      // the repository's messages are TypeScript
      const text = commandOf("TypeScript", method, message).replace("_pb.js", "_pb.ts");
      writeFileSync(path.join(folder, "program.ts"), text);
      return (await run(process.execPath, ["program.ts"], { cwd: folder })).stdout;
    };
    expect(await outputOf(getBlogInfo, { blogIdentifier: "demo" })).toContain("name: 'demo'");
    expect(await outputOf(PostService.method.streamTaggedPosts, { tag: "seed" })).toContain("id: 735");
  } finally {
    rmSync(folder, { recursive: true });
  }
});

test("streams have no curl command, because curl cannot write envelopes", () => {
  expect(Object.keys(commandsFor(PostService.method.streamTaggedPosts))).not.toContain("curl");
});

test("a message is kept without fields marked redact or debug_redact, at every depth", async () => {
  const schema = await consoleSchema();
  const desc = schema.registry.getMessage("blog.v1.CreatePostRequest");
  if (desc === undefined) throw new Error("the message is unknown");
  const json = { blogIdentifier: "demo", content: [{ text: { text: "a" } }], tags: ["b"] };
  expect(withoutSecrets(schema, desc, json)).toEqual(json);
  const marked = new Set(["tags", "text"]);
  const strict = Object.create(schema, {
    isSecret: { value: ({ name }: { name: string }) => marked.has(name) },
  });
  expect(withoutSecrets(strict, desc, json)).toEqual({ blogIdentifier: "demo", content: [{}] });
});

test("a link has the request in its fragment, which browsers do not send", () => {
  const link = new URL(linkTo("a.B/C", { text: "ä&b=#?" }), "http://a/");
  expect([link.pathname, link.search]).toEqual(["/", ""]);
  const [, query = ""] = link.hash.split("?", 2);
  expect(new URLSearchParams(query).get("message")).toBe('{"text":"ä&b=#?"}');
});
