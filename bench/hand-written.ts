import { fromJson, type JsonObject } from "@bufbuild/protobuf";
import type { ConnectRouter } from "@connectrpc/connect";
import { Pool } from "undici";
import { type ListPostsResponse, ListPostsResponseSchema, PostService } from "../gen/blog/v1/post_pb.ts";
import { PostSchema } from "../gen/blog/v1/post_resource_pb.ts";

const KNOWN = new Set(["id_string", ...PostSchema.fields.map((field) => field.name)]);

/** Returns the baseline: a hand-written handler with the same response as the adapter's. */
export function handWrittenRoutes(upstream: string): (router: ConnectRouter) => void {
  const pool = new Pool(upstream, { connections: 128 });
  return (router) =>
    router.service(PostService, {
      async listPosts({ blogIdentifier, offset = 0 }, { signal }) {
        const path = `/v2/blog/${encodeURIComponent(blogIdentifier)}/posts?offset=${offset}&api_key=bench`;
        const { body } = await pool.request({ method: "GET", path, signal });
        return readPage(await body.text());
      },
    });
}

/** Parses a page of posts as ProtoJSON. Supports only text posts; each further type would need more lines. */
export function readPage(text: string): ListPostsResponse {
  const { response } = JSON.parse(text) as { response: { blog: JsonObject; posts: JsonObject[] } };
  const page = { ...response, blog: blog(response.blog), posts: response.posts.map(post) };
  return fromJson(ListPostsResponseSchema, page, { ignoreUnknownFields: true });
}

const time = (seconds: unknown) => new Date(Number(seconds) * 1000).toISOString();
const blog = (json: JsonObject) => ({ ...json, updated: time(json.updated) });

function post({ type = "", state = "", format = "", body = "", ...rest }: JsonObject): JsonObject {
  const enums = { type: `POST_TYPE_${type}`, state: `POST_STATE_${state}`, format: `POST_FORMAT_${format}` };
  const upper = Object.fromEntries(Object.entries(enums).map(([key, name]) => [key, name.toUpperCase()]));
  const unknown = Object.keys(rest).filter((key) => !KNOWN.has(key));
  const kept = Object.fromEntries(unknown.map((key) => [key, JSON.stringify(rest[key])]));
  const names = { ...upper, type_name: type, state_name: state, unknown_fields: kept, text: { body } };
  const times = { blog: blog(rest.blog as JsonObject), timestamp: time(rest.timestamp) };
  return { ...rest, id: String(rest.id_string), ...times, ...names };
}
