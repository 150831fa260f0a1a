import { answers, type Case, fails, rejects, says, sends } from "../../blog/case.ts";
import { callerCases } from "../case.ts";

/** Tags and strings that need encoding in a path or a query. */
export const ODD_TEXTS = ["a/b", "a%2Fb", "#a", "a?b&c=d", "a b+c", "é", "👩‍👩‍👧", "..a", "%"];

const ADD_TAGS = "POST /v2/user/filtered_tags";
const REMOVE_TAG = "DELETE /v2/user/filtered_tags/{tag}";
const TAGS: Case[] = [
  answers(
    "GET /v2/user/filtered_tags",
    "filtered tags",
    ({ filters }) => filters.listFilteredTags({}),
    { filteredTags: ["spoilers", "a/b", "👩‍👩‍👧"] },
    { prepare: sends({ filtered_tags: ["spoilers", "a/b", "👩‍👩‍👧"] }) },
  ),
  answers(
    "GET /v2/user/filtered_tags",
    "none",
    ({ filters }) => filters.listFilteredTags({}),
    { filteredTags: [] },
    { prepare: sends({ filtered_tags: [] }) },
  ),
  ...callerCases("GET /v2/user/filtered_tags", ({ filters }) => filters.listFilteredTags({})),

  answers(
    ADD_TAGS,
    "one tag",
    ({ filters }) => filters.addFilteredTags({ filteredTags: ["spoilers"] }),
    {},
    { prepare: sends({}, 201) },
  ),
  answers(
    ADD_TAGS,
    "many tags",
    ({ filters }) => filters.addFilteredTags({ filteredTags: ODD_TEXTS }),
    {},
    { prepare: sends([], 201) },
  ),
  ...callerCases(ADD_TAGS, ({ filters }) => filters.addFilteredTags({ filteredTags: ["a"] })),
  fails(ADD_TAGS, "an invalid tag", ({ filters }) => filters.addFilteredTags({ filteredTags: ["#"] }), {
    prepare: says(400),
  }),
  fails(
    ADD_TAGS,
    "one more than the maximum",
    ({ filters }) => filters.addFilteredTags({ filteredTags: ["a"] }),
    {
      prepare: says(403),
    },
  ),
  rejects(ADD_TAGS, "no tag", ({ filters }) => filters.addFilteredTags({}), { prepare: says(400) }),
  rejects(ADD_TAGS, "an empty tag", ({ filters }) => filters.addFilteredTags({ filteredTags: ["a", ""] }), {
    prepare: says(400),
  }),

  ...ODD_TEXTS.map((tag) =>
    answers(
      REMOVE_TAG,
      `tag: ${tag}`,
      ({ filters }) => filters.removeFilteredTag({ tag }),
      {},
      {
        prepare: sends({}),
      },
    ),
  ),
  ...callerCases(REMOVE_TAG, ({ filters }) => filters.removeFilteredTag({ tag: "a" })),
  fails(REMOVE_TAG, "an invalid tag", ({ filters }) => filters.removeFilteredTag({ tag: "#" }), {
    prepare: says(400),
  }),
  rejects(REMOVE_TAG, "no tag", ({ filters }) => filters.removeFilteredTag({})),
  fails(REMOVE_TAG, "a tag that is a step up in a path", ({ filters }) =>
    filters.removeFilteredTag({ tag: ".." }),
  ),
];

const ADD = "POST /v2/user/filtered_content";
const REMOVE = "DELETE /v2/user/filtered_content";
const CONTENT: Case[] = [
  answers(
    "GET /v2/user/filtered_content",
    "filtered texts",
    ({ filters }) => filters.listFilteredContent({}),
    { filteredContent: ["the ending", "a/b"] },
    { prepare: sends({ filtered_content: ["the ending", "a/b"] }) },
  ),
  ...callerCases("GET /v2/user/filtered_content", ({ filters }) => filters.listFilteredContent({})),

  answers(
    ADD,
    "one text",
    ({ filters }) => filters.addFilteredContent({ filteredContent: ["x".repeat(250)] }),
    {},
    { prepare: sends({}, 201) },
  ),
  answers(
    ADD,
    "many texts",
    ({ filters }) => filters.addFilteredContent({ filteredContent: ODD_TEXTS }),
    {},
    { prepare: sends({}, 201) },
  ),
  ...callerCases(ADD, ({ filters }) => filters.addFilteredContent({ filteredContent: ["a"] })),
  fails(
    ADD,
    "a text that is filtered already",
    ({ filters }) => filters.addFilteredContent({ filteredContent: ["a"] }),
    { prepare: says(400) },
  ),
  fails(
    ADD,
    "one more than the maximum",
    ({ filters }) => filters.addFilteredContent({ filteredContent: ["a"] }),
    {
      prepare: says(403),
    },
  ),
  rejects(ADD, "no text", ({ filters }) => filters.addFilteredContent({}), { prepare: says(400) }),
  rejects(ADD, "an empty text", ({ filters }) => filters.addFilteredContent({ filteredContent: [""] }), {
    prepare: says(400),
  }),
  rejects(
    ADD,
    "a text of 251 characters",
    ({ filters }) => filters.addFilteredContent({ filteredContent: ["x".repeat(251)] }),
    { prepare: says(400) },
  ),

  ...ODD_TEXTS.map((filteredContent) =>
    answers(
      REMOVE,
      `filtered_content: ${filteredContent}`,
      ({ filters }) => filters.removeFilteredContent({ filteredContent }),
      {},
      { prepare: sends({}) },
    ),
  ),
  ...callerCases(REMOVE, ({ filters }) => filters.removeFilteredContent({ filteredContent: "a" })),
  fails(REMOVE, "an invalid text", ({ filters }) => filters.removeFilteredContent({ filteredContent: "a" }), {
    prepare: says(400),
  }),
  rejects(REMOVE, "no text", ({ filters }) => filters.removeFilteredContent({}), { prepare: says(400) }),
];

export const FILTER_CASES: readonly Case[] = [...TAGS, ...CONTENT];
