/** Tests that streams of lists accept every key that the method for one page declares. */
import { expect, test } from "vitest";
import { ProtoWriter } from "../../codec/src/decode/proto-writer.ts";
import { type FieldEntry, isField, MessageTable } from "../../codec/src/table/message-table.ts";
import { BlogServiceRest } from "../../gen/blog/v1/blog_rest.ts";
import { PostServiceRest } from "../../gen/blog/v1/post_rest.ts";
import { CommunityServiceRest } from "../../gen/community/v1/community_rest.ts";
import { UserServiceRest } from "../../gen/user/v1/user_rest.ts";
import type { AnyMethodAdapter, PaginateAdapter } from "../../runtime/src/adapter/adapter.ts";
import { Page } from "../../runtime/src/response/page.ts";
import { noteUnknownKeys } from "../../runtime/src/response/page-keys.ts";

type Json = { [key: string]: Json | readonly Json[] };

/** Returns an object with the first spelling of each key in a table, and with all spellings for links. */
function objectOf(table: MessageTable, depth: number): Json {
  const object: Json = {};
  const isSpelled = table.name === "blog.v1.Links";
  for (const entry of table.entries) {
    if (!isField(entry)) continue;
    const [, , ...keys] = entry;
    for (const key of isSpelled || typeof keys[0] !== "string" ? keys : keys.slice(0, 1)) {
      put(object, typeof key === "string" ? [key] : key.path.split("."), sampleOf(entry, depth));
    }
  }
  return object;
}

function sampleOf([, kind]: FieldEntry, depth: number): Json | readonly Json[] {
  if (kind instanceof MessageTable && depth < 2) return objectOf(kind, depth + 1);
  return typeof kind === "object" && "list" in kind ? [] : {};
}

function put(object: Json, [key = "", ...below]: readonly string[], value: Json | readonly Json[]): void {
  if (below.length === 0) {
    object[key] ??= value;
  } else {
    object[key] ??= {};
    put(object[key] as Json, below, value);
  }
}

const METHODS = [BlogServiceRest, PostServiceRest, CommunityServiceRest, UserServiceRest].flatMap(
  ({ service, methods }) =>
    Object.entries<AnyMethodAdapter>(methods).flatMap(([name, adapter]) => {
      const one = Object.entries<AnyMethodAdapter>(methods).find(
        ([other]) => other === `list${name.slice(6)}`,
      );
      return adapter.kind === "paginate"
        ? [{ name: `${service.typeName}.${name}`, adapter, one: one?.[1] }]
        : [];
    }),
);

function payloadOf(one: AnyMethodAdapter | undefined): Json | undefined {
  return one?.kind === "unary" && one.body instanceof MessageTable ? objectOf(one.body, 0) : undefined;
}

function pageOf({ item, items, rules }: PaginateAdapter, payload: Json): Page {
  const { payload: [key = ""] = [] } = rules.envelope ?? {};
  const value = key === "" ? payload : { [key]: payload };
  const body = { value, exactly: () => value, verbatim: () => undefined };
  return new Page(body, { envelope: rules.envelope, paths: items, item });
}

function unknownIn(adapter: PaginateAdapter, payload: Json): readonly string[] {
  const out = new ProtoWriter();
  noteUnknownKeys(adapter, pageOf(adapter, payload), 200, out);
  return out.found().list.map(({ path }) => path);
}

test("every stream of a list corresponds to a method for one page", () => {
  const without = METHODS.filter(({ one }) => payloadOf(one) === undefined).map(({ name }) => name);
  // A plain array has no keys around its items.
  expect(without).toEqual(["blog.v1.PostService.streamTaggedPosts"]);
  expect(METHODS.length).toBeGreaterThan(15);
});

test.each(METHODS)("$name accepts the keys around the items of a page", ({ adapter, one }) => {
  const payload = payloadOf(one);
  if (payload === undefined) return;
  expect(unknownIn(adapter, payload)).toEqual([]);
  expect(unknownIn(adapter, { ...payload, newest_cursor: {} })).toEqual(["newest_cursor"]);
});
