import fc from "fast-check";
import { expect, test } from "vitest";
import { Secret } from "../text/secret.ts";
import { hmacSha1, signatureBaseString } from "./oauth1.ts";
import { readOAuth1Token, signOAuth1 } from "./oauth1-token.ts";

const secrets = fc.string({ minLength: 1, maxLength: 20 }).map((text) => new Secret(text));

test("a signed request contains every protocol parameter once, and a signature that a server can verify", () => {
  fc.assert(
    fc.property(
      fc.record({ consumerKey: secrets, consumerSecret: secrets }),
      fc.option(fc.tuple(secrets, secrets), { nil: undefined }),
      fc.constantFrom("GET" as const, "POST" as const),
      fc.webQueryParameters(),
      (consumer, given, method, query) => {
        const url = new URL(`https://provider.test:8443/token?${query}`);
        const [token, tokenSecret] = given ?? [];
        const header = signOAuth1(
          { method, url, parameters: [["oauth_verifier", "v&="]] },
          { ...consumer, token, tokenSecret },
          { now: 1_234_567_890_999, nonce: "n" },
        );
        const items = [...header.matchAll(/(\w+)="([^"]*)"/g)].map(
          ([, name = "", value = ""]) => [name, decodeURIComponent(value)] as const,
        );
        const sent = new Map(items);
        expect(sent.size).toBe(items.length);
        expect(sent.get("oauth_timestamp")).toBe("1234567890");
        expect(sent.get("oauth_token")).toBe(token?.reveal());
        expect(sent.get("oauth_verifier")).toBe("v&=");
        const base = signatureBaseString(
          { verb: method, origin: url.origin, path: "/token", queryString: url.search.slice(1) },
          items.filter(([name]) => name !== "oauth_signature"),
        );
        const key = {
          consumerSecret: consumer.consumerSecret.reveal(),
          tokenSecret: tokenSecret?.reveal() ?? "",
        };
        expect(sent.get("oauth_signature")).toBe(hmacSha1(base, key));
      },
    ),
    { numRuns: 50 },
  );
});

test("a token is read unchanged, or rejected if a header cannot contain it", () => {
  fc.assert(
    fc.property(fc.string({ unit: "binary" }), fc.string(), (token, tokenSecret) => {
      const text = String(new URLSearchParams({ oauth_token: token, oauth_token_secret: tokenSecret }));
      const isGood = /^[\x20-\x7e]+$/.test(token);
      expect(readOAuth1Token(`\n${text}\n`)).toEqual(isGood ? { token, tokenSecret } : "none");
    }),
  );
});

test.each([
  ["", "none"],
  ["oauth_token=a", "none"],
  ["oauth_token_secret=a", "none"],
  ["oauth_token=&oauth_token_secret=a", "none"],
  [`oauth_token=${"a".repeat(16_385)}&oauth_token_secret=a`, "none"],
  [`oauth_token=a&oauth_token_secret=${"a".repeat(16_385)}`, "none"],
  ["<html>", "none"],
  ["oauth_token=a&oauth_token_secret=b&oauth_callback_confirmed=false", "unconfirmed"],
  ["oauth_token=a&oauth_token_secret=b&oauth_callback_confirmed=true", { token: "a", tokenSecret: "b" }],
  ["oauth_token=a&oauth_token_secret=", { token: "a", tokenSecret: "" }],
])("the token response %j is read as %j", (text, expected) => {
  expect(readOAuth1Token(text)).toEqual(expected);
});
