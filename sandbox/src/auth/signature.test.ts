import fc from "fast-check";
import { expect, test } from "vitest";
import { decodePairs, percentEncode } from "../http/fields.ts";
import { baseString, baseUri, parseAuthorization, sign } from "./signature.ts";

const PHOTOS = { key: "dpf43f3p2l4k3l03", secret: "kd94hf93k423kf44" };

test("the base string and signature of the example in RFC 5849 section 3.4.1.1 are correct", () => {
  const pairs: [string, string][] = [
    ...decodePairs("b5=%3D%253D&a3=a&c%40=&a2=r%20b"),
    ...decodePairs("c2&a3=2+q"),
    ["realm", "Example"],
    ["oauth_consumer_key", "9djdj82h48djs9d2"],
    ["oauth_token", "kkk9d7dh3k39sjv7"],
    ["oauth_signature_method", "HMAC-SHA1"],
    ["oauth_timestamp", "137131201"],
    ["oauth_nonce", "7d8f3e4a"],
  ];
  const base = baseString("post", baseUri("HTTP", "EXAMPLE.com:80", "/request"), pairs);
  expect(base).toBe(
    "POST&http%3A%2F%2Fexample.com%2Frequest&a2%3Dr%2520b%26a3%3D2%2520q%26a3%3Da%26b5%3D%253D%25253D%26c%2540%3D%26c2%3D%26oauth_consumer_key%3D9djdj82h48djs9d2%26oauth_nonce%3D7d8f3e4a%26oauth_signature_method%3DHMAC-SHA1%26oauth_timestamp%3D137131201%26oauth_token%3Dkkk9d7dh3k39sjv7",
  );
  expect(sign(base, "j49sk3j29djd", "dh893hdasih9")).toBe("r6/TJjbCOr97/+UU0NsvSne7s5g=");
});

test.each([
  {
    name: "temporary credentials",
    method: "POST",
    host: "https://photos.example.net/initiate",
    query: "",
    token: "",
    secret: "",
    timestamp: "137131200",
    nonce: "wIjqoS",
    extra: [["oauth_callback", "http://printer.example.com/ready"]],
    signature: "74KNZJeDHnMBp0EMJ9ZHt/XKycU=",
  },
  {
    name: "token credentials",
    method: "POST",
    host: "https://photos.example.net/token",
    query: "",
    token: "hh5s93j4hdidpola",
    secret: "hdhd0244k9j7ao03",
    timestamp: "137131201",
    nonce: "walatlh",
    extra: [["oauth_verifier", "hfdp7dh39dks9884"]],
    signature: "gKgrFCywp7rO0OXSjdot/IHF7IU=",
  },
  {
    name: "a signed resource",
    method: "GET",
    host: "http://photos.example.net/photos",
    query: "file=vacation.jpg&size=original",
    token: "nnch734d00sl2jdk",
    secret: "pfkkdhi9sl3r4s00",
    timestamp: "137131202",
    nonce: "chapoH",
    extra: [],
    signature: "MdpQcU8iPSUjWoN/UDMsK2sui9I=",
  },
])("the signature of the example in RFC 5849 section 1.2 is correct: $name", (vector) => {
  const pairs: [string, string][] = [
    ...decodePairs(vector.query),
    ["oauth_consumer_key", PHOTOS.key],
    ["oauth_signature_method", "HMAC-SHA1"],
    ["oauth_timestamp", vector.timestamp],
    ["oauth_nonce", vector.nonce],
    ...(vector.extra as [string, string][]),
  ];
  if (vector.token !== "") pairs.push(["oauth_token", vector.token]);
  expect(sign(baseString(vector.method, vector.host, pairs), PHOTOS.secret, vector.secret)).toBe(
    vector.signature,
  );
});

test("brackets, UTF-8 and an encoded path are correct in a base string", () => {
  const pairs: [string, string][] = [
    ...decodePairs("tag[0]=a%20b&tag[1]=c%2Bd&tag[2]=%C3%A9&tag[10]=z&npf=true"),
    ["oauth_consumer_key", "ck1"],
    ["oauth_token", "tk1"],
    ["oauth_signature_method", "HMAC-SHA1"],
    ["oauth_timestamp", "1700000000"],
    ["oauth_nonce", "n1"],
    ["oauth_version", "1.0"],
  ];
  const base = baseString("GET", baseUri("https", "api.example.test", "/v2/blog/t%3Aabc123/posts"), pairs);
  expect(base).toBe(
    "GET&https%3A%2F%2Fapi.example.test%2Fv2%2Fblog%2Ft%253Aabc123%2Fposts&npf%3Dtrue%26oauth_consumer_key%3Dck1%26oauth_nonce%3Dn1%26oauth_signature_method%3DHMAC-SHA1%26oauth_timestamp%3D1700000000%26oauth_token%3Dtk1%26oauth_version%3D1.0%26tag%255B0%255D%3Da%2520b%26tag%255B1%255D%3Dc%252Bd%26tag%255B10%255D%3Dz%26tag%255B2%255D%3D%25C3%25A9",
  );
  expect(sign(base, "cs1", "ts1")).toBe("sq5/2fubquViZAErX/CWSGtPHtY=");
});

test("only unreserved characters are not percent-encoded", () => {
  expect(percentEncode("!*'()[]~-._ \u00e9")).toBe("%21%2A%27%28%29%5B%5D~-._%20%C3%A9");
  fc.assert(
    fc.property(fc.string({ unit: "grapheme" }), (value) => {
      const encoded = percentEncode(value);
      return /^([A-Za-z0-9\-._~]|%[0-9A-F]{2})*$/.test(encoded) && decodeURIComponent(encoded) === value;
    }),
    { numRuns: 300 },
  );
});

test("a base URI omits the default port, and keeps other ports", () => {
  expect(baseUri("https", "A.example:443", "/x/")).toBe("https://a.example/x/");
  expect(baseUri("https", "a.example:80", "/")).toBe("https://a.example:80/");
});

test("the scheme in the header is case-insensitive, and quoted values may contain commas", () => {
  expect(parseAuthorization('oauth realm="a, b",oauth_nonce="x%20y" , oauth_token="t"')).toEqual([
    ["realm", "a, b"],
    ["oauth_nonce", "x y"],
    ["oauth_token", "t"],
  ]);
  expect(parseAuthorization("OAuth oauth_nonce=x")).toBeUndefined();
  expect(parseAuthorization('OAuth oauth_nonce="%zz"')).toBeUndefined();
  expect(parseAuthorization("Bearer x")).toBeUndefined();
});
