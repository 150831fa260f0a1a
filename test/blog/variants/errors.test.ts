import { gzipSync } from "node:zlib";
import { describe, expect, test } from "vitest";
import { BlogService } from "../../../gen/blog/v1/blog_pb.ts";
import { BlogServiceRest } from "../../../gen/blog/v1/blog_rest.ts";
import { PostService } from "../../../gen/blog/v1/post_pb.ts";
import { PostServiceRest } from "../../../gen/blog/v1/post_rest.ts";
import { failureOf } from "../../end-to-end/failure.ts";
import type { Answer } from "../../rules/world.ts";
import { demo, serverOf } from "./variant.ts";

/** Every documented format of an error, all with the same cause, and the expected text. */
const SHAPES: ReadonlyArray<readonly [name: string, body: unknown, text: string]> = [
  [
    "A: items next to an empty response",
    { response: [], errors: [{ title: "Title", code: 1, detail: "Detail" }] },
    "Title: Detail",
  ],
  ["B: only items, without details", { errors: [{ title: "Title", code: 1 }] }, "Title"],
  ["C: a string", { response: "Detail" }, "Detail"],
  ["D: titles as keys, in an array", { response: { errors: [{ Title: "Detail" }] } }, "Title: Detail"],
  ["D: titles as keys", { response: { errors: { Title: "Detail" } } }, "Title: Detail"],
  ["E: a string next to the response", { error: "Detail" }, "Detail"],
  ["E: an OAuth error", { error: "title", error_description: "Detail" }, "title: Detail"],
  [
    "G: items next to an object",
    { response: { blog: { name: "b" } }, errors: [{ title: "Title", code: 0, detail: "Detail" }] },
    "Title: Detail",
  ],
  ["an item that is not an object", { errors: ["odd", 5, null, { title: "Title", code: 1 }] }, "Title"],
  [
    "an item whose fields have other types",
    {
      errors: [
        { title: ["odd"], code: {} },
        { title: "Title", code: "1" },
      ],
    },
    "Title",
  ],
  [
    "an item with additional keys",
    { errors: [{ title: "Title", code: 1, logout: true, gdpr_auth_token: "x" }] },
    "Title",
  ],
  ["items in an object", { errors: { title: "Title", code: 1 } }, "Title"],
  ["no items", { response: [], errors: [] }, ""],
  ["only a reason phrase", { response: [] }, ""],
];

const STATUSES = [
  [400, "InvalidArgument"],
  [401, "Unauthenticated"],
  [403, "PermissionDenied"],
  [404, "NotFound"],
  [429, "ResourceExhausted"],
  [500, "Internal"],
  [503, "Unavailable"],
] as const;

async function said(answer: Answer) {
  const { api } = await serverOf(BlogService, BlogServiceRest, answer);
  return failureOf(api.getBlogInfo(demo));
}

describe.each(STATUSES)("status %i", (status, code) => {
  test.each(SHAPES)("%s", async (_, body, text) => {
    const meta = { status, msg: "Reason" };
    const failure = await said({ status, json: { meta, ...(body as object) } });
    expect([failure.code, failure.metadata?.http_status]).toEqual([code, String(status)]);
    expect(failure.text).toContain(text === "" ? "Reason" : text);
    const inText = await said({ status, json: body, headers: { "content-type": "text/html" } });
    expect([inText.code, inText.text.includes(text)]).toEqual([code, true]);
  });

  test.each([
    ["nothing", { body: "" }],
    [
      "a proxy's error page",
      { body: "<html><h1>Oh no</h1></html>", headers: { "content-type": "text/html" } },
    ],
    ["broken JSON", { body: '{"meta":{"status":', headers: { "content-type": "application/json" } }],
    ["bytes", { body: Buffer.from([0xff, 0xfe, 0]), headers: { "content-type": "image/png" } }],
    ["null", { body: "null", headers: { "content-type": "application/json" } }],
    ["an array", { body: "[]", headers: { "content-type": "application/json" } }],
  ] as const)("F: %s", async (_, answer) => {
    expect(await said({ status, ...answer })).toMatchObject({
      code,
      metadata: { http_status: String(status) },
    });
  });
});

test("an error that is only in meta is reported", async () => {
  const errors = [{ title: "Not Found", code: 0, detail: "Gone" }];
  const failure = await said({ json: { meta: { status: 404, msg: "Not Found" }, response: [], errors } });
  expect(failure).toMatchObject({ code: "NotFound", reason: "BLOG_NOT_FOUND" });
});

test.each([["8001"], [8001]])(
  "a subcode is recognized as %j, even after an item without a subcode",
  async (code) => {
    const errors = [
      { title: "First", code: 0 },
      { title: "Second", code },
    ];
    const { api } = await serverOf(PostService, PostServiceRest, { status: 400, json: { errors } });
    expect(await failureOf(api.getPost({ ...demo, postId: 5n }))).toMatchObject({ reason: "NPF_INVALID" });
  },
);

test("a compressed error is read", async () => {
  const body = gzipSync(JSON.stringify({ errors: [{ title: "Title", code: 0, detail: "Detail" }] }));
  const headers = { "Content-Encoding": "gzip", "content-type": "application/json" };
  expect(await said({ status: 404, body, headers })).toMatchObject({
    code: "NotFound",
    text: expect.stringContaining("Title: Detail"),
  });
});

test.each<readonly [Record<string, string>, number | undefined]>([
  [{ "Retry-After": "7" }, 7],
  [{ "X-Ratelimit-Perhour-Remaining": "0", "X-Ratelimit-Perhour-Reset": "12.0" }, 12],
  [
    {
      "x-ratelimit-perday-remaining": "0",
      "x-ratelimit-perday-reset": "99",
      "x-ratelimit-perhour-remaining": "0",
      "x-ratelimit-perhour-reset": "5",
    },
    99,
  ],
  [{ "X-RATELIMIT-PERHOUR-REMAINING": "3", "X-RATELIMIT-PERHOUR-RESET": "12" }, undefined],
  [{ "X-Ratelimit-Perhour-Remaining": "0" }, undefined],
  [{}, undefined],
])("a rate limit with %j ends after %s seconds", async (headers, seconds) => {
  const failure = await said({
    status: 429,
    headers,
    json: { meta: { status: 429, msg: "Limit Exceeded" }, response: [] },
  });
  expect([failure.code, failure.retrySeconds]).toEqual(["ResourceExhausted", seconds]);
});
