/** Tests fields that the APIs document, and the place of each field in a request. */
import { create } from "@bufbuild/protobuf";
import { expect, test } from "vitest";
import {
  CommunityService_addReaction,
  CommunityService_getCommunity,
  CommunityService_listMembers,
  CommunityService_updateCommunity,
} from "../../gen/community/v1/community_rest.ts";
import { UserService_followBlog } from "../../gen/user/v1/user_rest.ts";
import { received, sent } from "../support/adapter.ts";

const BLOG_FIELDS = ["name", "?is_following_you"];
const QUERY = "fields%5Bblogs%5D=name,%3Fis_following_you";
const HANDLE = "book-club";

test("fields of blogs are requested in the query, even if the request has a body", () => {
  const { method: update } = CommunityService_updateCommunity;
  const change = create(update.input, { communityHandle: HANDLE, title: "Books", blogFields: BLOG_FIELDS });
  expect(sent(CommunityService_updateCommunity, change)).toMatchObject({
    query: QUERY,
    body: '{"title":"Books"}',
  });
  const { method: react } = CommunityService_addReaction;
  const emoji = { case: "slug", value: ":heart:" } as const;
  const reaction = create(react.input, {
    communityHandle: HANDLE,
    postId: 1n,
    emoji,
    blogFields: BLOG_FIELDS,
  });
  expect(sent(CommunityService_addReaction, reaction).query).toBe(QUERY);
  const target = { case: "url", value: "demo.blog.example" } as const;
  const follow = create(UserService_followBlog.method.input, { target, blogFields: BLOG_FIELDS });
  expect(sent(UserService_followBlog, follow)).toMatchObject({
    query: QUERY,
    body: '{"url":"demo.blog.example"}',
  });
});

test("members can be listed with the hash of an invite link", () => {
  const request = create(CommunityService_listMembers.method.input, {
    communityHandle: HANDLE,
    inviteHash: "h",
  });
  expect(sent(CommunityService_listMembers, request).query).toBe("invite_hash=h");
});

test.each([
  ["1767225600", 1_767_225_600n],
  ['"1767225600"', 1_767_225_600n],
  ["null", undefined],
  ["false", undefined],
  ["true", undefined],
])("the time of the next handle change may be %s", (value, seconds) => {
  const text = `{"meta":{},"response":{"name":"book-club","handle_next_change_ts":${value}}}`;
  const { message, differences } = received(CommunityService_getCommunity, text);
  expect(message.community?.handleNextChangeAt?.seconds).toBe(seconds);
  expect(differences.filter(({ class: kind }) => kind === "lost")).toEqual([]);
});
