import fc from "fast-check";
import { expect, test } from "vitest";
import { failureOf } from "../../runtime/src/testing/failure.ts";
import { PlaceService } from "../gen/rules/v1/places_pb.ts";
import { PlaceServiceRest } from "../gen/rules/v1/places_rest.ts";
import { type Answers, type Settings, start } from "./world.ts";

const places = (answers?: Answers, settings?: Settings) =>
  start(PlaceService, PlaceServiceRest, answers, settings);

test("in: fields go to every declared place, and constants go to the body", async () => {
  const { client, seen } = await places();
  await client.sendPlaces({
    id: "i/1",
    inQuery: "q 1",
    inHeader: "h 1",
    inCookie: "c=1",
    theme: "dark",
    inBody: "b",
    nowhere: "never",
  });
  expect(seen[0]?.line).toBe("POST /places/i%2F1?in_query=q%201");
  expect(seen[0]?.headers).toEqual([
    "x-service: rules, all of them",
    "x-replaced: by the method",
    "x-trace: h 1",
    "cookie: session=c=1; theme=dark",
    "content-type: application/json",
  ]);
  expect(seen[0]?.text).toBe('{"grant_type":"a b&c","in_body":"b"}');
});

test("time.rounding: a time is rounded down or up to its unit, or sent exactly", async () => {
  const { client, seen } = await places();
  const time = { seconds: 1_700_000_000n, nanos: 999_999_999 };
  await client.sendTimes({
    after: time,
    before: time,
    exact: { seconds: 1n, nanos: 500_000_000 },
    millis: time,
    iso: time,
    pattern: time,
  });
  expect(seen[0]?.line).toBe("POST /times?after=1700000000&before=1700000001");
  expect(JSON.parse(seen[0]?.text ?? "")).toEqual({
    exact: 1.5,
    millis: 1_700_000_000_999,
    iso: "2023-11-14T22:13:21Z",
    pattern: "2023-11-14 22:13:21",
  });
});

test("in: a value cannot add another header", async () => {
  const { client, seen } = await places();
  const error = await failureOf(client.sendPlaces({ id: "1", inHeader: "a\r\nX-Evil: 1" }));
  expect(error.message).toContain("[invalid_argument] in_header: contains a line break");
  expect(seen).toEqual([]);
});

test("in: a value cannot add another cookie", async () => {
  const { client, seen } = await places();
  const error = await failureOf(client.sendPlaces({ id: "1", inCookie: "a; admin=1" }));
  expect(error.message).toContain("[invalid_argument] in_cookie: contains a space, comma, semicolon");
  expect(seen).toEqual([]);
});

test("parameters go to the query if there is no body, and the method's upstream and base are used", async () => {
  const other = await places();
  const bases = { api: "http://127.0.0.1:1/never", web: `${other.origin}/pages` };
  const { client } = await places({}, { upstream: { baseUrl: undefined, bases } });
  await client.sendConstant({ id: "1", text: "x" });
  expect(other.seen[0]?.line).toBe("GET /pages/constant/1?v=1%202&text=x");
});

test("style, name and bytes determine the notation of a query", async () => {
  const { client, seen } = await places();
  const data = Uint8Array.of(0xfb, 0xff, 0xfe, 1);
  await client.sendStyles({
    plain: ["a", "b"],
    repeat: ["a", "b"],
    brackets: ["a", "b"],
    indexed: [7, 8],
    comma: ["a", "b c"],
    spread: { key: "v&", "k 2": "w" },
    fields: "name,url",
    data,
    padded: data,
    raw: data,
  });
  expect(seen[0]?.line.split(/[?&]/)).toEqual([
    "GET /styles",
    "plain=a",
    "plain=b",
    "repeat=a",
    "repeat=b",
    "brackets%5B%5D=a",
    "brackets%5B%5D=b",
    "indexed%5B0%5D=7",
    "indexed%5B1%5D=8",
    "comma=a,b%20c",
    "key=v%26",
    "k%202=w",
    "fields%5Bblogs%5D=name%2Curl",
    "data=-__-AQ",
    "padded=%2B%2F%2F%2BAQ%3D%3D",
    "raw=%FB%FF%FE%01",
  ]);
});

test("property: a form parser reads every list style back unchanged", async () => {
  const { client, seen } = await places();
  const word = fc.string({ minLength: 1, maxLength: 8 }).filter((text) => text.isWellFormed());
  const words = fc.array(word, { minLength: 1, maxLength: 4 });
  await fc.assert(
    fc.asyncProperty(words, words, async (repeat, brackets) => {
      await client.sendStyles({ repeat, brackets });
      const query = new URLSearchParams(seen.at(-1)?.line.split("?")[1]);
      expect(query.getAll("repeat")).toEqual(repeat);
      expect(query.getAll("brackets[]")).toEqual(brackets);
    }),
    { numRuns: 30 },
  );
});

const NAMED = { itemId: "1", bigNumber: 2n ** 60n, asText: 5n, asNumber: -(2n ** 63n), tagList: ["a", "b"] };

test("json of a service: keys have their declared names, integers are bare, and path variables are also in the body", async () => {
  const { client, seen } = await places((request) => ({ body: request.text }));
  const answer = await client.sendDeclared(NAMED);
  expect(seen[0]?.line).toBe("POST /named/1");
  expect(seen[0]?.text).toBe(
    '{"item_id":"1","big_number":1152921504606846976,"as_text":"5","as_number":-9223372036854775808,"tag_list":"a,b"}',
  );
  expect(answer).toMatchObject(NAMED);
});

test("json of a method: keys and integers are as in ProtoJSON, and path variables are not in the body", async () => {
  const { client, seen } = await places((request) => ({ body: request.text }));
  const answer = await client.sendCamel(NAMED);
  expect(seen[0]?.text).toBe(
    '{"bigNumber":"1152921504606846976","asText":"5","asNumber":-9223372036854775808,"tagList":"a,b"}',
  );
  expect(answer).toMatchObject({ ...NAMED, itemId: "" });
});

test("slash: a service can reject slashes in variables while one of its methods escapes them", async () => {
  const { client, seen } = await places();
  const error = await failureOf(client.sendConstant({ id: "a/b" }));
  expect(error.message).toContain("[invalid_argument] id:");
  expect(seen).toEqual([]);
  await client.sendPlaces({ id: "a/b" });
  expect(seen[0]?.line).toBe("POST /places/a%2Fb");
});

test("slash: a variable of an additional binding may contain an escaped slash", async () => {
  const { client, seen } = await places();
  await client.findEscaped({ room: "a/b", shelf: "c/d" });
  await client.findEscaped({ shelf: "c/d", name: "rooms/e" });
  await client.findEscaped({ name: "rooms/e" });
  expect(seen.map(({ line }) => line)).toEqual([
    "GET /rooms/a%2Fb/shelves/c%2Fd",
    "GET /shelves/c%2Fd?name=rooms%2Fe",
    "GET /rooms/e",
  ]);
});

test("slash: a binding is skipped if a slash in its variable is rejected", async () => {
  const { client, seen } = await places();
  const error = await failureOf(client.findRejected({ room: "a", shelf: "c/d" }));
  expect(error.message).toBe(
    "[invalid_argument] room: matches none of the paths /rooms/{room}/shelves/{shelf}, /shelves/{shelf}, /{name=rooms/*}, so it cannot be part of a URL path; set the fields of one of them",
  );
  await client.findRejected({ room: "a/b", shelf: "c" });
  expect(seen.map(({ line }) => line)).toEqual(["GET /shelves/c?room=a%2Fb"]);
});

test("several bindings: the error for a value that fits no path names its field, and the value is not sent in the query", async () => {
  const { client, seen } = await places();
  const messages = [];
  for (const room of ["..", "a\nb", "\ud800"]) {
    for (const find of [client.findEscaped, client.findRejected]) {
      messages.push((await failureOf(find({ room, shelf: "s" }))).message);
    }
  }
  const dots = '[invalid_argument] room: is the dot segment ".."';
  const control = "[invalid_argument] room: contains a control character";
  const half = "[invalid_argument] room: contains a lone surrogate";
  expect(messages.map((message) => message.replace(/[,;].*/, ""))).toEqual([
    dots,
    dots,
    control,
    control,
    half,
    half,
  ]);
  expect(seen).toEqual([]);
});
