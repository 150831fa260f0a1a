import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { BLOG_CASES } from "../cases/blog.ts";
import { POST_CASES } from "../cases/posts.ts";
import { WRITING_CASES } from "../cases/writing.ts";
import { type BlogWorld, startBlogWorld } from "../world.ts";

type Json = Readonly<Record<string, unknown>>;

/** Applies a change to every value of a response, innermost first. */
function everywhere(json: unknown, change: (value: unknown) => unknown): unknown {
  if (Array.isArray(json)) return change(json.map((item) => everywhere(item, change)));
  if (typeof json !== "object" || json === null) return change(json);
  return change(
    Object.fromEntries(Object.entries(json).map(([key, value]) => [key, everywhere(value, change)])),
  );
}

const isObject = (value: unknown): value is Json =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/** Equivalent notations that other servers use in responses. */
const SPELLINGS: Readonly<Record<string, (value: unknown) => unknown>> = {
  "numbers are strings": (value) =>
    typeof value === "number" || typeof value === "bigint" ? String(value) : value,
  "flags are numbers": (value) => (typeof value === "boolean" ? Number(value) : value),
  "empty strings are null": (value) => (value === "" ? null : value),
  "objects have their keys in another order, and unknown keys": (value) =>
    isObject(value)
      ? { zzz_unknown: [{ deep: 1 }], ...Object.fromEntries(Object.entries(value).reverse()) }
      : value,
};

const answered = [...BLOG_CASES, ...POST_CASES, ...WRITING_CASES].filter(({ kind }) => kind === "answer");

describe.each(Object.entries(SPELLINGS))("%s", (_, change) => {
  let world: BlogWorld;
  let changed = 0;
  beforeAll(async () => {
    world = await startBlogWorld();
  });
  afterAll(() => world.close());

  test.each(answered)("$endpoint: $name", async (each) => {
    world.reset();
    world.identity = each.as;
    await each.prepare(world);
    const drift = (json: unknown) => {
      changed += 1;
      return everywhere(json, change);
    };
    world.sandbox.next({ drift }, { times: Number.POSITIVE_INFINITY });
    expect(await each.call(world.api("in-process"), world)).toMatchObject(each.answer as object);
  });

  test("all responses except pictures change with the notation", () => {
    expect(changed).toBeGreaterThan(answered.length);
  });
});
