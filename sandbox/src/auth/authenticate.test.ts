import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { type Sandbox, startSandbox } from "../index.ts";
import { CREDENTIALS } from "../seed/credentials.ts";
import { ask, BEARER, KEY, multipart, sendForm, signed } from "../testing/client.ts";

let sandbox: Sandbox;
let info: string;
beforeAll(async () => {
  sandbox = await startSandbox();
  info = `${sandbox.url}/v2/blog/demo/info`;
});
beforeEach(() => sandbox.clearRates());
afterAll(() => sandbox.close());

const unauthorized = {
  meta: { status: 401, msg: "Unauthorized" },
  response: [],
  errors: [{ title: "Unauthorized", code: 1016, detail: "Unable to authorize" }],
};

test("a request without User-Agent gets 400", async () => {
  const got = await ask(`${info}?${KEY}`, { anonymous: true });
  expect(got.status).toBe(400);
  expect(got.json.meta).toEqual({ status: 400, msg: "Bad Request" });
});

test.each([
  ["no credentials", "", {}],
  ["an unknown key", "?api_key=nope", {}],
  ["an unknown bearer token", "", { authorization: "Bearer nope" }],
  ["another scheme", "", { authorization: "Basic eDp5" }],
  ["a signature next to an unknown key", "?api_key=nope", BEARER],
])("a request with %s gets 401 with subcode 1016", async (_name, query, headers) => {
  const got = await ask(info + query, { headers });
  expect(got.status).toBe(401);
  expect(got.json).toEqual(unauthorized);
});

test("an endpoint that needs a key accepts a key, a signature, a bearer token and a token of an application", async () => {
  expect((await ask(`${info}?${KEY}`)).status).toBe(200);
  expect((await ask(info, { headers: signed(info) })).status).toBe(200);
  expect((await ask(info, { headers: signed(info, { token: "" }) })).status).toBe(200);
  expect((await ask(info, { headers: BEARER })).status).toBe(200);
  const application = { authorization: `Bearer ${CREDENTIALS.applicationToken}` };
  expect((await ask(info, { headers: application })).status).toBe(200);
  const both = `${info}?${KEY}`;
  expect((await ask(both, { headers: signed(both) })).status).toBe(200);
});

test("posting needs a user: a key gets 401, and an application or a read-only token gets 403", async () => {
  const posts = `${sandbox.url}/v2/blog/demo/posts`;
  const body = { content: '[{"type":"text","text":"x"}]' };
  const as = (token: string) => sendForm(posts, body, { headers: { authorization: `Bearer ${token}` } });
  expect((await ask(`${posts}?${KEY}`, { method: "POST" })).status).toBe(401);
  expect((await as(CREDENTIALS.applicationToken)).status).toBe(403);
  expect((await as(CREDENTIALS.readOnlyToken)).status).toBe(403);
  expect((await as(CREDENTIALS.userToken)).status).toBe(201);
});

test("a signature covers the query, brackets, an encoded path and a form body", async () => {
  const url = `${sandbox.url}/v2/blog/t%3ADm0aXQkq5rCkyTnYIYv1Nw/posts?tag[0]=seed&tag[1]=two%20words&limit=1`;
  expect((await ask(url, { headers: signed(url) })).status).toBe(200);
  const changed = url.replace("limit=1", "limit=2");
  expect((await ask(changed, { headers: signed(url) })).status).toBe(401);
  const posts = `${sandbox.url}/v2/blog/demo/posts`;
  const form = "state=draft&content=%5B%7B%22type%22%3A%22text%22%2C%22text%22%3A%22a+b%22%7D%5D";
  const send = (body: string) =>
    ask(posts, {
      method: "POST",
      headers: {
        "content-type": "application/x-www-form-urlencoded",
        ...signed(posts, { method: "POST", form }),
      },
      body,
    });
  expect((await send(form)).status).toBe(201);
  expect((await send(form.replace("draft", "queue"))).status).toBe(401);
});

test("a signature of a multipart body may omit or include its text parts", async () => {
  const posts = `${sandbox.url}/v2/blog/demo/post`;
  const fields = { type: "text", body: "a b", state: "draft" };
  const { headers, body } = multipart(Object.entries(fields).map(([name, value]) => ({ name, value })));
  const send = (authorization: object) =>
    ask(posts, { method: "POST", headers: { ...headers, ...authorization }, body });
  expect((await send(signed(posts, { method: "POST" }))).status).toBe(201);
  const form = new URLSearchParams(fields).toString();
  expect((await send(signed(posts, { method: "POST", form }))).status).toBe(201);
  expect((await send(signed(posts, { method: "POST", form: form.replace("a+b", "c") }))).status).toBe(401);
});

test("a nonce is accepted once, and the timestamp must be within 300 seconds", async () => {
  const headers = signed(info, { nonce: "once" });
  expect((await ask(info, { headers })).status).toBe(200);
  expect((await ask(info, { headers })).status).toBe(401);
  const at = (offset: number) => String(Math.floor(Date.now() / 1000) + offset);
  expect((await ask(info, { headers: signed(info, { timestamp: at(-290) }) })).status).toBe(200);
  expect((await ask(info, { headers: signed(info, { timestamp: at(-310) }) })).status).toBe(401);
  expect((await ask(info, { headers: signed(info, { timestamp: at(310) }) })).status).toBe(401);
  expect((await ask(info, { headers: signed(info, { timestamp: `${at(0)}.000000` }) })).status).toBe(200);
});

test("the protocol parameters may all be in the query, and are rejected if they are split between two places", async () => {
  const { authorization } = signed(info);
  const query = authorization.slice("OAuth ".length).replaceAll('"', "").replaceAll(", ", "&");
  expect((await ask(`${info}?${query}`)).status).toBe(200);
  const again = signed(info).authorization;
  const copy = again.slice("OAuth ".length).replaceAll('"', "").replaceAll(", ", "&");
  expect((await ask(`${info}?${copy}`, { headers: { authorization: again } })).status).toBe(401);
});

test("the protocol parameters may all be in a form body, and are rejected if they are split between two places", async () => {
  const posts = `${sandbox.url}/v2/blog/demo/posts`;
  const content = "state=draft&content=%5B%7B%22type%22%3A%22text%22%2C%22text%22%3A%22a%22%7D%5D";
  const type = { "content-type": "application/x-www-form-urlencoded" };
  const send = (body: string, headers: object = {}, query = "") =>
    ask(posts + query, { method: "POST", headers: { ...type, ...headers }, body });
  const asPairs = (authorization: string) =>
    authorization.slice("OAuth ".length).replaceAll('"', "").replaceAll(", ", "&");
  const fresh = (form: string) => signed(posts, { method: "POST", form }).authorization;

  expect((await send(`${content}&${asPairs(fresh(content))}`)).status).toBe(201);

  const both = fresh(content);
  const inBoth = await send(`${content}&${asPairs(both)}`, { authorization: both });
  expect([inBoth.status, inBoth.json]).toEqual([401, unauthorized]);

  const spread = asPairs(fresh(content)).split("&");
  const token = spread.filter((pair) => pair.startsWith("oauth_token="));
  const rest = spread.filter((pair) => !pair.startsWith("oauth_token="));
  expect((await send(`${content}&${rest.join("&")}`, {}, `?${token.join("&")}`)).status).toBe(401);
});

test("a wrong secret, token or method gets 401", async () => {
  expect((await ask(info, { headers: signed(info, { consumerSecret: "x" }) })).status).toBe(401);
  expect((await ask(info, { headers: signed(info, { tokenSecret: "x" }) })).status).toBe(401);
  expect((await ask(info, { headers: signed(info, { token: "x", tokenSecret: "y" }) })).status).toBe(401);
  expect((await ask(info, { headers: signed(info, { consumerKey: "x" }) })).status).toBe(401);
  const plain = signed(info).authorization.replace("HMAC-SHA1", "PLAINTEXT");
  expect((await ask(info, { headers: { authorization: plain } })).status).toBe(401);
});

test("rate limit headers count down, and requests above the limit get 429 with Retry-After", async () => {
  sandbox.limits.callsPerHour = 2;
  const first = await ask(`${info}?${KEY}`);
  expect(first.headers["x-ratelimit-perhour-limit"]).toBe("2");
  expect(first.headers["x-ratelimit-perhour-remaining"]).toBe("1");
  expect(first.headers["x-ratelimit-perday-limit"]).toBe("5000");
  expect(Number(first.headers["x-ratelimit-perhour-reset"])).toBeLessThanOrEqual(3600);
  await ask(`${info}?${KEY}`);
  const third = await ask(`${info}?${KEY}`);
  expect(third.status).toBe(429);
  expect(third.json.meta).toEqual({ status: 429, msg: "Limit Exceeded" });
  expect(third.headers["retry-after"]).toBe(third.headers["x-ratelimit-perhour-reset"]);
  sandbox.clock.advance(3_600_000);
  expect((await ask(`${info}?${KEY}`)).status).toBe(200);
  sandbox.clock.reset();
  sandbox.limits.callsPerHour = 1000;
});
