import { isMessage, type Message, toJson } from "@bufbuild/protobuf";
import { afterAll, beforeAll, expect, test } from "vitest";
import { CalledDocument, type SentResponse } from "./calls.ts";

const PATH = "test/import/documents/pages.yaml";

let document: CalledDocument;

beforeAll(async () => {
  document = await CalledDocument.load(PATH, "pages", ["--paginate", "GET /likely-page"]);
});

afterAll(() => document.remove());

const MEMBERS = ["a", "b", "c"].map((id) => ({ id, name: id }));

/** Returns the n-th item alone, or nothing after the last item. */
function at<Item>(items: readonly Item[], index: number): readonly Item[] {
  return items.slice(index, index + 1);
}

function json(value: unknown, headers: Readonly<Record<string, string>> = {}): SentResponse {
  return { body: JSON.stringify(value), headers: { "content-type": "application/json", ...headers } };
}

/** Upstreams with three pages of one item, by method. `index` is the number of earlier requests. */
const UPSTREAMS: Readonly<Record<string, (query: URLSearchParams, index: number) => SentResponse>> = {
  ListMembersStream: (query, index) => {
    expect(query.get("cursor")).toBe(index === 0 ? null : `c${index}`);
    const next = index < 2 ? `c${index + 1}` : "";
    return json({ members: at(MEMBERS, index), count: 3, response_metadata: { next_cursor: next } });
  },
  ListTokensStream: (query, index) => {
    expect(query.get("pageToken")).toBe(index === 0 ? null : `t${index}`);
    return json({ tokens: at(["a", "b", "c"], index), nextPageToken: index < 2 ? `t${index + 1}` : null });
  },
  ListLinkedStream: (_, index) => {
    const next = index < 2 ? { "@odata.nextLink": `https://api.test/link?skip=${index}` } : {};
    return json({ value: [{ id: index }], "@odata.context": "x", ...next });
  },
  ListHalStream: (_, index) => {
    const links = index < 2 ? { next: { href: `/hal?page=${index}` } } : {};
    return json({ _embedded: { members: at(MEMBERS, index) }, _links: links });
  },
  ListHeaderStream: (_, index) => {
    const link = `<https://api.test/header?page=${index + 2}>; rel="next"`;
    return json(at(MEMBERS, index), index < 2 ? { link } : {});
  },
  ListLastStream: (query, index) => {
    expect(query.get("starting_after")).toBe(index === 0 ? null : (MEMBERS[index - 1]?.id ?? null));
    return json({ data: at(MEMBERS, index), has_more: index < 2, url: "/last" });
  },
  ListOffsetStream: (query, index) => {
    expect(query.get("offset") ?? "0").toBe(String(index));
    return json({ items: at(MEMBERS, index), total: 3 });
  },
  ListPagesStream: (query, index) => {
    expect(query.get("page") ?? "0").toBe(String(index));
    return json({ content: at(MEMBERS, index), totalPages: 3 });
  },
  ListLikelyPagesStream: (query, index) => {
    expect(query.get("page") ?? "1").toBe(String(index + 1));
    return json(at(["a", "b", "c"], index));
  },
};

test("every paginated list has a streaming method; uncertain ones are streamed only with --paginate", () => {
  const streams = document.methods.filter(({ methodKind }) => methodKind === "server_streaming");
  expect(streams.map(({ name }) => name).sort()).toEqual(Object.keys(UPSTREAMS).sort());
});

test.each(Object.keys(UPSTREAMS))("%s streams the items of all pages without differences", async (name) => {
  const method = document.method(name);
  let index = 0;
  const { messages, differences } = await document.call(method, {}, ({ url }) => {
    const response = UPSTREAMS[name]?.(url.searchParams, index);
    index += 1;
    return response ?? { status: 404, body: "" };
  });
  expect(differences).toEqual([]);
  expect(messages).toHaveLength(3);
  const printed = messages.map((message: Message) =>
    isMessage(message, method.output) ? toJson(method.output, message) : undefined,
  );
  expect(new Set(printed.map((each) => JSON.stringify(each))).size).toBe(3);
});
