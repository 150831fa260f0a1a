import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { STATE_CASES } from "./cases/states.ts";
import { outcomeOf } from "./outcome.ts";
import { type BlogWorld, startBlogWorld, WAYS } from "./world.ts";

let world: BlogWorld;
beforeAll(async () => {
  world = await startBlogWorld();
});
beforeEach(() => world.reset());
afterAll(() => world.close());

describe.each([...STATE_CASES])("$endpoint: $name", (each) => {
  test.each(WAYS)("by %s", async (way) => {
    expect(await outcomeOf(each, way, world)).toMatchObject({ answer: each.answer });
  });
});
