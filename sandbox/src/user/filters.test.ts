import fc from "fast-check";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { type Sandbox, startSandbox } from "../index.ts";
import { LIMITS } from "../limits.ts";
import { FILTERS } from "../seed/social.ts";
import { askAs, outcome, sendForm } from "../testing/client.ts";

let sandbox: Sandbox;
let tagsUrl: string;
let contentUrl: string;
beforeAll(async () => {
  sandbox = await startSandbox({
    limits: { callsPerHour: Number.POSITIVE_INFINITY, callsPerDay: Number.POSITIVE_INFINITY },
  });
  tagsUrl = `${sandbox.url}/v2/user/filtered_tags`;
  contentUrl = `${sandbox.url}/v2/user/filtered_content`;
});
beforeEach(() => {
  sandbox.reset();
  sandbox.limits.filteredTags = LIMITS.filteredTags;
  sandbox.limits.filteredContent = LIMITS.filteredContent;
});
afterAll(() => sandbox.close());

const tags = async (user = "demo") => (await askAs(user, "GET", tagsUrl)).json.response.filtered_tags;
const content = async (user = "demo") =>
  (await askAs(user, "GET", contentUrl)).json.response.filtered_content;
const addTags = async (value: unknown) =>
  outcome(await askAs("ada", "POST", tagsUrl, { filtered_tags: value }));
const addContent = async (value: unknown) =>
  outcome(await askAs("ada", "POST", contentUrl, { filtered_content: value }));
const removeTag = async (raw: string) => outcome(await askAs("ada", "DELETE", `${tagsUrl}/${raw}`));

test("each user has their own seeded filters", async () => {
  expect([await tags(), await content()]).toEqual([FILTERS.filtered_tags, FILTERS.filtered_content]);
  expect([await tags("ada"), await content("ada")]).toEqual([[], []]);
});

test("one or more tags are added from JSON and from every notation of a list, and the response is 201 with an empty object", async () => {
  const got = await askAs("ada", "POST", tagsUrl, { filtered_tags: ["a", "b"] });
  expect([got.status, got.json.response]).toEqual([201, {}]);
  const ada = (pairs: Record<string, string>) =>
    sendForm(tagsUrl, pairs, { headers: { authorization: "Bearer ada-user-access-token" } });
  await ada({ "filtered_tags[0]": "c", "filtered_tags[1]": "d" });
  await ada({ "filtered_tags[]": "e" });
  await ada({ filtered_tags: "f" });
  expect(await addTags("a")).toBe("201");
  expect(await tags("ada")).toEqual(["a", "b", "c", "d", "e", "f"]);
});

test.each([[""], ["  "], ["a", ""], ["a,b"], ["a\nb"], ["x".repeat(141)], []])(
  "tags %j are rejected with 400, and none is added",
  async (...values) => {
    expect(await addTags(values)).toBe("400");
    expect(await tags("ada")).toEqual([]);
  },
);

test("a request without tags is rejected with 400", async () => {
  expect(outcome(await askAs("ada", "POST", tagsUrl, {}))).toBe("400");
  expect(outcome(await askAs("ada", "DELETE", `${tagsUrl}/`))).toBe("400");
  expect(outcome(await askAs("ada", "DELETE", `${tagsUrl}/%20`))).toBe("400");
  expect(outcome(await askAs("ada", "DELETE", `${tagsUrl}/a%2Cb`))).toBe("400");
});

test("a tag is removed by its encoded path, which is decoded once", async () => {
  for (const tag of FILTERS.filtered_tags) await addTags(tag);
  expect(await removeTag("c%2Fd")).toBe("200");
  expect(await tags("ada")).toEqual(FILTERS.filtered_tags);
  for (const tag of FILTERS.filtered_tags) {
    const got = await askAs("ada", "DELETE", `${tagsUrl}/${encodeURIComponent(tag)}`);
    expect([got.status, got.json.response]).toEqual([200, {}]);
  }
  expect(await tags("ada")).toEqual([]);
});

test("every tag that can be added can be removed", async () => {
  const tag = fc.string({ unit: "grapheme", minLength: 1, maxLength: 30 });
  await fc.assert(
    fc.asyncProperty(tag, async (value) => {
      if ((await addTags(value)) !== "201") return;
      expect(await removeTag(encodeURIComponent(value))).toBe("200");
      expect(await tags("ada")).toEqual([]);
    }),
    { numRuns: 50 },
  );
});

test("a tag above the maximum number is rejected with 403, and none is added", async () => {
  sandbox.limits.filteredTags = 3;
  expect(await addTags(["a", "b"])).toBe("201");
  expect(await addTags(["c", "d"])).toBe("403");
  expect(await addTags(["c"])).toBe("201");
  expect(await addTags(["d"])).toBe("403");
  expect(await tags("ada")).toEqual(["a", "b", "c"]);
});

test("content is added as a string or an array, and removed by query or body", async () => {
  expect(await addContent("one, two")).toBe("201");
  expect(await addContent(["50% off", "\u{1F333}"])).toBe("201");
  expect(await content("ada")).toEqual(["one, two", "50% off", "\u{1F333}"]);
  const query = await askAs("ada", "DELETE", `${contentUrl}?filtered_content=50%25+off`);
  expect([query.status, query.json.response]).toEqual([200, {}]);
  await askAs("ada", "DELETE", contentUrl, { filtered_content: "one, two" });
  expect(await content("ada")).toEqual(["\u{1F333}"]);
});

test("content that is empty, too long or already filtered is rejected with 400", async () => {
  expect(await addContent("a")).toBe("201");
  for (const value of ["", [""], [], "a", ["b", "a"], ["c", "c"], "x".repeat(251), undefined]) {
    expect(await addContent(value)).toBe("400");
  }
  expect(await addContent("\u{1F333}".repeat(250))).toBe("201");
  for (const query of ["", "?filtered_content=", `?filtered_content=${"x".repeat(251)}`]) {
    expect(outcome(await askAs("ada", "DELETE", contentUrl + query))).toBe("400");
  }
  expect(await content("ada")).toEqual(["a", "\u{1F333}".repeat(250)]);
});

test("a content filter above the maximum number is rejected with 403", async () => {
  sandbox.limits.filteredContent = 1;
  expect(await addContent(["a", "b"])).toBe("403");
  expect(await addContent("a")).toBe("201");
  expect(await addContent("b")).toBe("403");
});
