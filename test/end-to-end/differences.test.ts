import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { BlogService } from "../../gen/blog/v1/blog_pb.ts";
import { type ListPostsResponse, PostService } from "../../gen/blog/v1/post_pb.ts";
import { PostState, PostType } from "../../gen/blog/v1/post_resource_pb.ts";
import { EventType } from "../../gen/events/v1/event_pb.ts";
import { EventService } from "../../gen/events/v1/events_pb.ts";
import { failureOf } from "./failure.ts";
import { GATEWAY_WAYS, startWorld, type Way, type World } from "./world.ts";

let world: World;
beforeAll(async () => {
  world = await startWorld();
});
beforeEach(() => {
  world.differences.length = 0;
  world.sandbox.clearRates();
});
afterAll(() => world.close());

/** JSON that a test changes. It is untyped, like the JSON of an upstream. */
interface Loose {
  [key: string]: Loose & unknown;
}

interface Case {
  readonly name: string;
  /** Changes the payload of a page of three posts. */
  readonly change: (page: Loose, post: (index: number) => Loose) => void;
  readonly pick: (answer: ListPostsResponse) => unknown;
  readonly expected: unknown | ((newest: bigint) => unknown);
  /** The reported differences, in the format `path: expected, got, class`. */
  readonly differences: readonly string[];
}

const set = (target: Loose, values: Record<string, unknown>) => Object.assign(target, values);

const CASES: readonly Case[] = [
  {
    name: "numbers as strings",
    change: (page, post) => {
      set(page, { total_posts: "53" });
      set(post(0), { note_count: "7", timestamp: "1761994800" });
    },
    pick: ({ totalPosts, posts }) => [totalPosts, posts[0]?.noteCount, posts[0]?.timestamp?.seconds],
    expected: [53, 7, 1_761_994_800n],
    differences: [
      'posts[0].note_count: int32, string "7", converted',
      'total_posts: int32, string "53", converted',
    ],
  },
  {
    name: "[] for objects",
    change: (page, post) => {
      set(page, { _links: [], blog: [] });
      set(post(1), { blog: [] });
    },
    pick: ({ links, blog, posts }) => [links?.next, blog?.name, posts[1]?.blog?.name],
    expected: [undefined, "", ""],
    differences: [
      "posts[1].blog: object, array, converted",
      "blog: object, array, converted",
      "_links: object, array, converted",
    ],
  },
  {
    name: "null, false and empty strings for objects and lists",
    change: (page, post) => {
      set(page, { blog: null, _links: false });
      set(post(0), { blog: "", tags: null });
      set(post(1), { blog: false, tags: false });
    },
    pick: ({ links, blog, posts }) => [
      links,
      blog,
      ...posts.slice(0, 2).flatMap((each) => [each.blog, each.tags]),
    ],
    expected: [undefined, undefined, undefined, [], undefined, []],
    differences: [
      'posts[0].blog: object, string "", converted',
      "posts[1].blog: object, boolean false, converted",
      "posts[1].tags: array, boolean false, converted",
      "_links: object, boolean false, converted",
    ],
  },
  {
    name: "one object instead of a list",
    change: (page, post) => set(page, { posts: post(0) }),
    pick: ({ posts }) => posts.map(({ id }) => id),
    expected: (newest: bigint) => [newest],
    differences: ["posts: array, object, converted"],
  },
  {
    name: "items that are not objects",
    change: (page, post) => set(page, { posts: [null, post(0), "text"] }),
    pick: ({ posts }) => posts.map(({ id }) => id),
    expected: (newest: bigint) => [newest],
    differences: ["posts[0]: object, null, lost", 'posts[2]: object, string "text", lost'],
  },
  {
    name: "an ID above 2^53 without its copy as a string",
    change: (_page, post) => {
      for (const [index, id] of [
        9_007_199_254_740_993n,
        18_446_744_073_709_551_615n,
        735_000_000_000_070_631n,
      ].entries()) {
        set(post(index), { id, id_string: undefined });
      }
    },
    pick: ({ posts }) => posts.map(({ id }) => id),
    expected: [9_007_199_254_740_993n, 18_446_744_073_709_551_615n, 735_000_000_000_070_631n],
    differences: [],
  },
  {
    name: "an ID above 2^53 that differs from its copy as a string",
    change: (_page, post) => set(post(0), { id: 735_000_000_000_070_999n }),
    pick: ({ posts }) => posts[0]?.id,
    expected: (newest: bigint) => newest,
    differences: [],
  },
  {
    name: "an ID that exceeds 64 bits",
    change: (_page, post) => set(post(0), { id: 2n ** 64n, id_string: undefined }),
    pick: ({ posts }) => posts[0]?.id,
    expected: 0n,
    differences: ["posts[0].id_string: uint64, number 18446744073709551616, lost"],
  },
  {
    name: "keys that no field declares",
    change: (page, post) => {
      set(page, { new_top: { secret: "value" } });
      set(post(0), {
        new_key: { a: [9_007_199_254_740_993n, 1.5, null], é: "\u{1F333}\u0000" },
        new_id: 2n ** 70n,
      });
    },
    pick: ({ posts }) => [posts[0]?.unknownFields.new_key, posts[0]?.unknownFields.new_id],
    expected: ['{"a":[9007199254740993,1.5,null],"é":"\u{1F333}\\u0000"}', "1180591620717411303424"],
    differences: ["new_top: no such key, object, additional"],
  },
  {
    name: "keys with a special meaning in JavaScript",
    change: (page) => {
      set(page, { posts: [JSON.parse('{"__proto__":{"polluted":true},"constructor":1,"id_string":"5"}')] });
    },
    pick: ({ posts }) => [posts[0]?.id, posts[0]?.unknownFields, ({} as Loose).polluted],
    expected: [5n, JSON.parse('{"__proto__":"{\\"polluted\\":true}","constructor":"1"}'), undefined],
    differences: [],
  },
  {
    name: "unknown enum values",
    change: (_page, post) => set(post(0), { type: "hologram", state: "limbo", format: "papyrus" }),
    pick: ({ posts: [post] }) => [post?.type, post?.typeName, post?.state, post?.stateName],
    expected: [PostType.UNSPECIFIED, "hologram", PostState.UNSPECIFIED, "limbo"],
    differences: ['posts[0].format: one of blog.v1.PostFormat, string "papyrus", additional'],
  },
  {
    name: "other types instead of strings and booleans",
    change: (_page, post) => {
      set(post(0), { slug: 5, liked: "true" });
      set(post(1), { slug: { no: "text" }, liked: "maybe" });
    },
    pick: ({ posts }) => posts.slice(0, 2).map(({ slug, liked }) => [slug, liked]),
    expected: [
      ["5", true],
      ["", undefined],
    ],
    differences: [
      "posts[0].slug: string, number 5, converted",
      'posts[0].liked: bool, string "true", converted',
      "posts[1].slug: string, object, lost",
      'posts[1].liked: bool, string "maybe", lost',
    ],
  },
];

/** Makes a call whose response is changed by the case. `change` receives integers above 2^53 as bigints. */
function list({ change }: Case, way: Way, into = world) {
  const drift = (json: unknown) => {
    const page = (json as Loose).response as Loose;
    const posts = page.posts as unknown as Loose[];
    change(page, (index) => posts[index] ?? {});
    return json;
  };
  into.sandbox.next({ drift }, { match: "/posts" });
  return into.client(PostService, way).listPosts({ blogIdentifier: "demo", limit: 3 });
}

describe.each(CASES)("$name", (each) => {
  test("lose no value that can be decoded, and are reported by path", async () => {
    const [newest = 0n] = world.newest;
    const expected = typeof each.expected === "function" ? each.expected(newest) : each.expected;
    expect(each.pick(await list(each, "in-process"))).toEqual(expected);
    const reported = world.differences.flatMap(({ differences }) =>
      differences.map(({ path, expected, got, class: as }) => `${path}: ${expected}, ${got}, ${as}`),
    );
    expect(reported).toEqual(
      each.differences.length === 0 ? [] : expect.arrayContaining([...each.differences]),
    );
    for (const { upstream, method } of world.differences) {
      expect([upstream, method.name]).toEqual(["blog", "ListPosts"]);
    }
  });

  test.each(GATEWAY_WAYS)("give the same message by %s as in-process", async (way) => {
    expect(await list(each, way)).toEqual(await list(each, "in-process"));
  });
});

test("integers above 2^53 survive in fields that hold any JSON", async () => {
  const drift = (json: unknown) => {
    const [event] = json as Loose[];
    set(event ?? {}, { type: "NewKindEvent", extra: 9_007_199_254_740_993n });
    return json;
  };
  for (const way of ["gRPC proto, h2c", "Connect JSON, HTTP/1.1", "in-process"] as const) {
    world.sandbox.next({ drift });
    const client = world.client(EventService, way);
    const { events } = await client.listRepositoryEvents({ owner: "octo", repo: "hello", perPage: 1 });
    expect(events[0]).toMatchObject({
      type: EventType.UNSPECIFIED,
      typeName: "NewKindEvent",
      unknownFields: { extra: "9007199254740993" },
    });
  }
});

test("a created object has its exact id, without the id as a string", async () => {
  const drift = (json: unknown) => {
    set((json as Loose).response as Loose, { id: 735_000_000_000_103_929n });
    return json;
  };
  world.sandbox.next({ drift });
  const content = [{ block: { case: "text", value: { text: "hello" } } } as const];
  const client = world.client(PostService, "gRPC proto, h2c");
  expect((await client.createPost({ blogIdentifier: "demo", content })).id).toBe(735_000_000_000_103_929n);
});

test("the gateway's log contains paths and no values", async () => {
  const fresh = await startWorld();
  for (const each of CASES) await list(each, "Connect proto, HTTP/1.1", fresh);
  await fresh.close();
  const lines = fresh.log.filter(({ msg }) => msg === "difference");
  expect(lines).toContainEqual(
    expect.objectContaining({
      level: "info",
      method: "blog.v1.PostService/ListPosts",
      upstream: "blog",
      path: "posts[0].note_count",
      expected: "int32",
      got: "string",
      class: "converted",
    }),
  );
  expect(JSON.stringify(fresh.log)).not.toMatch(/hologram|limbo|papyrus|maybe|secret|18446744073709551616/);
});

test("strict mode turns a lost value into an error", async () => {
  const strict = await startWorld({ gateway: { strict: true } });
  const lost = CASES.find(({ differences }) => differences.some((each) => each.includes("posts[1].slug")));
  if (lost === undefined) throw new Error("expected a case");
  expect(await failureOf(list(lost, "gRPC proto, h2c", strict))).toEqual({
    code: "Internal",
    text: "upstream blog: blog.v1.PostService.ListPosts: posts[1].slug: expected string, got object (differences: fail)",
    reason: "RESPONSE_DRIFT",
    domain: "blog",
    metadata: {},
  });
  const info = strict.client(BlogService, "gRPC proto, h2c").getBlogInfo({ blogIdentifier: "demo" });
  expect((await info).blog?.name).toBe("demo");
  await strict.close();
});
