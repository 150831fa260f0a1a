import fc from "fast-check";
import { expect, test } from "vitest";
import { Kind, PathService } from "../gen/rules/v1/paths_pb.ts";
import { PathServiceRest } from "../gen/rules/v1/paths_rest.ts";
import { start } from "./world.ts";

const paths = () => start(PathService, PathServiceRest);

test("the path `/` is sent unchanged, with and without a query", async () => {
  const { client, seen } = await paths();
  await client.getRoot({});
  await client.getRoot({ query: "a/b?" });
  expect(seen.map(({ line }) => line)).toEqual(["GET /", "GET /?query=a%2Fb%3F"]);
});

test("a base address with a path keeps its path before the path `/`", async () => {
  const { client, seen } = await start(
    PathService,
    PathServiceRest,
    {},
    { upstream: (baseUrl) => ({ baseUrl: `${baseUrl}/v2` }) },
  );
  await client.getRoot({});
  await client.getBehindSlash({ name: "a" });
  expect(seen.map(({ line }) => line)).toEqual(["GET /v2/", "GET /v2/folders/a/"]);
});

test("a slash at the end of a path is sent, for any values of the path variables", async () => {
  const { client, seen } = await paths();
  await client.getBehindSlash({ name: "a" });
  await client.getBehindSlash({ name: "a/" });
  await client.getBehindSlash({});
  expect(seen.map(({ line }) => line)).toEqual(["GET /folders/a/", "GET /folders/a%2F/", "GET /folders/"]);
});

test("control_characters_in_path: control characters are percent-encoded and stay in their segment", async () => {
  const { client, seen } = await paths();
  await client.getByName({ name: "a\r\nX-Evil: 1\0" });
  await client.getByPath({ name: "a\n/b" });
  await client.getByPattern({ name: "a/\t" });
  expect(seen.map(({ line }) => line)).toEqual([
    "GET /names/a%0D%0AX-Evil%3A%201%00",
    "GET /paths/a%0A/b",
    "GET /patterns/a/%09",
  ]);
  expect(seen[0]?.headers).toEqual([]);
});

test("url_safe_base64_in_path: bytes are decoded unchanged from their segment", async () => {
  const { client, seen } = await paths();
  await client.getByHash({ hash: new Uint8Array([251, 255, 254, 1]) });
  expect(seen[0]?.line).toBe("GET /hashes/-__-AQ");
  await fc.assert(
    fc.asyncProperty(fc.uint8Array({ minLength: 1, maxLength: 20 }), async (hash) => {
      await client.getByHash({ hash });
      const text = seen.at(-1)?.line.slice("GET /hashes/".length) ?? "";
      expect(text).toMatch(/^[\w-]+$/);
      expect([...Buffer.from(text, "base64url")]).toEqual([...hash]);
    }),
    { numRuns: 20 },
  );
});

test("in_query: a constant parameter goes to the query, and the fields go to the body", async () => {
  const { client, seen } = await paths();
  await client.postConstant({ name: "n" });
  expect(seen.map(({ line, text }) => [line, text])).toEqual([
    ["POST /constant?api-version=2", '{"kind":"x","name":"n"}'],
  ]);
});

test("the zero value of an enum is written with its wire spelling, or with its name", async () => {
  const { client, seen } = await paths();
  await client.getByKind({ kind: Kind.TREE });
  await client.getByKind({});
  expect(seen.map(({ line }) => line)).toEqual([
    "GET /kinds/KIND_TREE/any",
    "GET /kinds/KIND_UNSPECIFIED/any",
  ]);
});
