import type { JsonObject } from "../json.ts";

const API = "https://api.feed.example";
const TIME = "2025-10-20T10:00:00Z";

const sha = (i: number) => i.toString(16).padStart(40, "0");

function user(login = "octavia", id = 101): JsonObject {
  return { id, login, node_id: `U_${id}`, type: "User", site_admin: false, url: `${API}/users/${login}` };
}

function issue(i: number): JsonObject {
  return {
    id: 3_000_000_000 + i,
    number: i,
    title: `Issue ${i}`,
    state: "open",
    user: user(),
    body: null,
    author_association: "NONE",
    url: `${API}/repos/octo/hello/issues/${i}`,
  };
}

function pull(i: number): JsonObject {
  const side = (ref: string) => ({
    ref,
    sha: sha(i),
    repo: { id: 201, url: `${API}/repos/octo/hello`, name: "hello" },
  });
  return {
    id: 5_000_000_000 + i,
    number: i,
    url: `${API}/repos/octo/hello/pulls/${i}`,
    head: side("topic"),
    base: side("main"),
  };
}

function fullPull(i: number): JsonObject {
  return {
    ...pull(i),
    title: `Change ${i}`,
    user: user(),
    merged: i % 2 === 0,
    body: "What and why",
    author_association: "MEMBER",
    state: "open",
  };
}

function comment(i: number): JsonObject {
  return {
    id: 4_000_000_000 + i,
    node_id: `C_${i}`,
    html_url: `https://feed.example/octo/hello/commit/${sha(i)}#c${i}`,
    url: `${API}/repos/octo/hello/comments/${i}`,
    body: "Looks right",
    user: user(),
    created_at: TIME,
    updated_at: TIME,
  };
}

/** Returns a push in the old format, with the commits. `size` may exceed their number. */
function oldPush(i: number): JsonObject {
  const commits = Array.from({ length: i % 4 }, (_, n) => ({
    sha: sha(i * 100 + n),
    author: { email: "octavia@example.org", name: "Octavia" },
    message: `Commit ${n} of push ${i}`,
    distinct: true,
    url: `${API}/repos/octo/hello/commits/${sha(i * 100 + n)}`,
  }));
  const size = i % 4 === 3 ? 25 : commits.length;
  return {
    push_id: 15_000_000_000 + i,
    size,
    distinct_size: size,
    ref: "refs/heads/main",
    head: sha(i),
    before: sha(i + 1),
    commits,
  };
}

/** Returns a push in the new format, without sizes and commits. */
export function newPush(i: number): JsonObject {
  return {
    repository_id: 201,
    push_id: 25_000_000_000 + i,
    ref: "refs/heads/main",
    head: sha(i),
    before: sha(i + 1),
  };
}

type Payload = [type: string, payload: (i: number) => JsonObject];

/** One payload for every type of event, current and historical. */
export const PAYLOADS: readonly [Payload, ...Payload[]] = [
  ["PushEvent", oldPush],
  ["WatchEvent", () => ({ action: "started" })],
  [
    "CreateEvent",
    (i) =>
      i % 2 === 0
        ? { ref: null, ref_type: "repository", master_branch: "main", description: null, pusher_type: "user" }
        : {
            ref: `topic-${i}`,
            ref_type: "branch",
            full_ref: `refs/heads/topic-${i}`,
            master_branch: "main",
            description: "Says hello",
            pusher_type: "user",
          },
  ],
  ["DeleteEvent", (i) => ({ ref: `topic-${i}`, ref_type: "branch", pusher_type: "user" })],
  [
    "ForkEvent",
    (i) => ({
      forkee: {
        id: 900 + i,
        name: "hello",
        full_name: "marvin/hello",
        private: false,
        public: true,
        owner: user("marvin", 102),
      },
    }),
  ],
  [
    "IssuesEvent",
    (i) => ({
      action: i % 2 === 0 ? "opened" : "labeled",
      issue: issue(i),
      ...(i % 2 === 0 ? {} : { label: { id: 1, name: "bug", color: "d73a4a" } }),
    }),
  ],
  ["IssueCommentEvent", (i) => ({ action: "created", issue: issue(i), comment: comment(i) })],
  [
    "PullRequestEvent",
    (i) => ({ action: "opened", number: i, pull_request: i % 2 === 0 ? fullPull(i) : pull(i) }),
  ],
  [
    "PullRequestReviewEvent",
    (i) => ({
      action: "created",
      review: {
        id: 6_000_000_000 + i,
        node_id: `R_${i}`,
        user: user(),
        body: null,
        commit_id: sha(i),
        submitted_at: TIME,
        state: "approved",
        html_url: "https://feed.example/octo/hello/pull/1",
        pull_request_url: `${API}/repos/octo/hello/pulls/1`,
        _links: { html: { href: "https://feed.example/octo/hello/pull/1" } },
      },
      pull_request: pull(i),
    }),
  ],
  [
    "PullRequestReviewCommentEvent",
    (i) => ({
      action: "created",
      comment: {
        ...comment(i),
        pull_request_review_id: null,
        diff_hunk: "@@ -1 +1 @@",
        path: "README.md",
        position: null,
        original_position: 1,
        commit_id: sha(i),
        original_commit_id: sha(i),
        pull_request_url: `${API}/repos/octo/hello/pulls/1`,
        _links: {},
        in_reply_to_id: 1,
      },
      pull_request: pull(i),
    }),
  ],
  [
    "CommitCommentEvent",
    (i) => ({
      action: "created",
      comment: {
        ...comment(i),
        commit_id: sha(i),
        path: "README.md",
        position: null,
        line: null,
        reactions: { total_count: 0 },
      },
    }),
  ],
  [
    "GollumEvent",
    (i) => ({
      pages: [
        {
          page_name: "Home",
          title: "Home",
          summary: null,
          action: "edited",
          sha: sha(i),
          html_url: "https://feed.example/octo/hello/wiki/Home",
        },
      ],
    }),
  ],
  ["MemberEvent", () => ({ action: "added", member: user("marvin", 102) })],
  ["PublicEvent", () => ({})],
  [
    "ReleaseEvent",
    (i) => ({
      action: "published",
      release: {
        id: 7000 + i,
        node_id: `RE_${i}`,
        tag_name: `v${i}`,
        target_commitish: "main",
        name: null,
        draft: false,
        prerelease: false,
        created_at: TIME,
        published_at: TIME,
        author: user(),
        assets: [],
        url: `${API}/repos/octo/hello/releases/${i}`,
      },
    }),
  ],
  [
    "DiscussionEvent",
    (i) => ({
      action: "created",
      discussion: { id: 8000 + i, number: i, title: "How does it work?", state: "open", user: user() },
    }),
  ],
  ["SponsorshipEvent", () => ({ action: "created", sponsorship: { tier: { name: "One" } } })],
  ["TeamAddEvent", () => ({ team: { id: 1, name: "Core" } })],
];
