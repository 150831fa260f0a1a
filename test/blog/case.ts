import type { Api, BlogWorld, Identity } from "./world.ts";

/** A call of an endpoint, with the expected result. */
export interface Case {
  /**
   * The endpoint under its heading in the reference, such as `GET P/info`. Further methods of an endpoint
   * have a suffix.
   */
  readonly endpoint: string;
  readonly name: string;
  /**
   * `answer`: the call succeeds. `failure`: the upstream rejects the call. `rejected`: the gateway rejects
   * the call before any request; in-process calls have no such check, so their result is not compared.
   */
  readonly kind: "answer" | "failure" | "rejected";
  readonly as: Identity;
  readonly prepare: (world: BlogWorld) => unknown;
  readonly call: (api: Api, world: BlogWorld) => Promise<unknown>;
  /** Part of the expected response. */
  readonly answer: unknown;
}

type Options = Partial<Pick<Case, "as" | "prepare">>;
type Call = Case["call"];

const nothing = () => undefined;

/** Returns a case whose call succeeds, with part of the expected response. */
export function answers(
  endpoint: string,
  name: string,
  call: Call,
  answer: unknown,
  options: Options = {},
): Case {
  return { as: "demo", prepare: nothing, ...options, endpoint, name, call, answer, kind: "answer" };
}

/** Returns a case whose call the upstream rejects. */
export function fails(endpoint: string, name: string, call: Call, options: Options = {}): Case {
  return { as: "demo", prepare: nothing, ...options, endpoint, name, call, answer: {}, kind: "failure" };
}

/** Returns a case whose call the gateway rejects because of the request's constraints. */
export function rejects(endpoint: string, name: string, call: Call, options: Options = {}): Case {
  return { as: "demo", prepare: nothing, ...options, endpoint, name, call, answer: {}, kind: "rejected" };
}

/** Makes the sandbox's next response an error in the service's format. */
export function says(status: number, code = 0, detail = "as the test says") {
  return ({ sandbox }: BlogWorld) =>
    sandbox.next({
      status,
      body: { meta: { status, msg: "Error" }, response: [], errors: [{ title: "Error", code, detail }] },
    });
}

/** Makes the sandbox's next response this payload in the envelope, or an empty 204. */
export function sends(response: unknown, status = 200) {
  const body = { meta: { status, msg: "OK" }, response };
  return ({ sandbox }: BlogWorld) => sandbox.next(status === 204 ? { status } : { status, body });
}

/** The blog of most cases. */
export const demo = { blogIdentifier: "demo" };

/**
 * Returns the cases that all endpoints of a kind share: about the caller's credentials and about the blog.
 */
export function commonCases(
  endpoint: string,
  call: (api: Api, blogIdentifier: string, world: BlogWorld) => Promise<unknown>,
  level: "key" | "user",
): Case[] {
  const of =
    (name: string): Call =>
    (api, world) =>
      call(api, name, world);
  return [
    fails(endpoint, "a blog that is not there", of("nobody")),
    fails(endpoint, "credentials that are rejected", of("demo"), { as: "unknown" }),
    fails(endpoint, "no credentials", of("demo"), { as: "nobody" }),
    ...(level === "user"
      ? [fails(endpoint, "credentials of an application", of("demo"), { as: "application" })]
      : []),
    fails(endpoint, "more calls than are allowed in an hour", of("demo"), {
      prepare: ({ sandbox }) => Object.assign(sandbox.limits, { callsPerHour: 0 }),
    }),
    fails(endpoint, "a request that did not come by HTTPS", of("demo"), {
      prepare: ({ sandbox }) => Object.assign(sandbox.rules, { requireHttps: true }),
    }),
    rejects(endpoint, "no blog", of("")),
    rejects(endpoint, "a blog with a slash in its name", of("a/b")),
  ];
}

/** Returns cases with limits below and above the range, and with a negative offset. */
export function pageCases(
  endpoint: string,
  call: (api: Api, page: { limit?: number; offset?: number }) => Promise<unknown>,
  prepare: Case["prepare"] = nothing,
): Case[] {
  const of =
    (page: { limit?: number; offset?: number }): Call =>
    (api) =>
      call(api, page);
  return [
    rejects(endpoint, "limit: 0", of({ limit: 0 }), { prepare }),
    rejects(endpoint, "limit: 21", of({ limit: 21 }), { prepare }),
    rejects(endpoint, "offset: -1", of({ offset: -1 }), { prepare }),
  ];
}

/** The three forms of a blog's identifier, which give the same response. */
export const FORMS = [
  ["by its name", "demo"],
  ["by its host name", "demo.blog.example"],
  ["by its uuid", "t:Dm0aXQkq5rCkyTnYIYv1Nw"],
] as const;

/** Returns cases for the documented errors of creating, fetching and editing a post in blocks. */
export function documented(endpoint: string, call: Case["call"]): Case[] {
  const rows = [
    [400, 0, "data that is required is missing"],
    [400, 8001, "a parameter in blocks is invalid"],
    [400, 8002, "the post to reblog is invalid"],
    [400, 8005, "a medium's format is not accepted"],
    [400, 8016, "an answer has an invalid format"],
    [401, 0, "an unauthorized client"],
    [403, 0, "the post may not be reblogged"],
    [403, 8004, "no more media today"],
    [403, 8008, "a video in a reblog"],
    [403, 8010, "an earlier video is transcoding"],
    [403, 8011, "no more videos today"],
    [403, 8022, "a full queue"],
    [403, 8023, "no more posts today"],
    [404, 0, "nothing there"],
    [500, 0, "an unexpected failure"],
    [500, 8006, "an upload that failed"],
    [500, 8009, "an upload of a video that failed"],
    [503, 0, "posting is switched off"],
  ] as const;
  return rows.map(([status, code, name]) =>
    fails(endpoint, `${status}${code === 0 ? "" : `.${code}`}: ${name}`, call, {
      prepare: says(status, code),
    }),
  );
}
