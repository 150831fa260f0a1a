import { createHmac } from "node:crypto";
import fc from "fast-check";
import { expect, test } from "vitest";
import {
  authorizationHeader,
  hmacSha1,
  type Parameter,
  type SignableRequest,
  signatureBaseString,
} from "./oauth1.ts";

interface Vector {
  readonly name: string;
  readonly request: SignableRequest;
  readonly oauth: Readonly<Record<string, string>>;
  readonly secrets: readonly [consumer: string, token: string];
  readonly baseString?: string;
  readonly signature: string;
}

const PRINTER = { oauth_consumer_key: "dpf43f3p2l4k3l03", oauth_signature_method: "HMAC-SHA1" };

const VECTORS: readonly Vector[] = [
  {
    name: "RFC 5849 section 3.4.1.1, with erratum 2550",
    request: {
      verb: "POST",
      origin: "http://example.com",
      path: "/request",
      queryString: "b5=%3D%253D&a3=a&c%40=&a2=r%20b",
      form: "c2&a3=2+q",
    },
    oauth: {
      oauth_consumer_key: "9djdj82h48djs9d2",
      oauth_token: "kkk9d7dh3k39sjv7",
      oauth_signature_method: "HMAC-SHA1",
      oauth_timestamp: "137131201",
      oauth_nonce: "7d8f3e4a",
    },
    secrets: ["j49sk3j29djd", "dh893hdasih9"],
    baseString:
      "POST&http%3A%2F%2Fexample.com%2Frequest&a2%3Dr%2520b%26a3%3D2%2520q%26a3%3Da%26b5%3D%253D%25253D%26c%2540%3D%26c2%3D%26oauth_consumer_key%3D9djdj82h48djs9d2%26oauth_nonce%3D7d8f3e4a%26oauth_signature_method%3DHMAC-SHA1%26oauth_timestamp%3D137131201%26oauth_token%3Dkkk9d7dh3k39sjv7",
    signature: "r6/TJjbCOr97/+UU0NsvSne7s5g=",
  },
  {
    name: "RFC 5849 section 1.2, temporary credentials: no token",
    request: { verb: "POST", origin: "https://photos.example.net", path: "/initiate", queryString: "" },
    oauth: {
      ...PRINTER,
      oauth_timestamp: "137131200",
      oauth_nonce: "wIjqoS",
      oauth_callback: "http://printer.example.com/ready",
    },
    secrets: ["kd94hf93k423kf44", ""],
    signature: "74KNZJeDHnMBp0EMJ9ZHt/XKycU=",
  },
  {
    name: "RFC 5849 section 1.2, token credentials",
    request: { verb: "POST", origin: "https://photos.example.net", path: "/token", queryString: "" },
    oauth: {
      ...PRINTER,
      oauth_token: "hh5s93j4hdidpola",
      oauth_timestamp: "137131201",
      oauth_nonce: "walatlh",
      oauth_verifier: "hfdp7dh39dks9884",
    },
    secrets: ["kd94hf93k423kf44", "hdhd0244k9j7ao03"],
    signature: "gKgrFCywp7rO0OXSjdot/IHF7IU=",
  },
  {
    name: "RFC 5849 section 1.2, a resource",
    request: {
      verb: "GET",
      origin: "http://photos.example.net",
      path: "/photos",
      queryString: "file=vacation.jpg&size=original",
    },
    oauth: {
      ...PRINTER,
      oauth_token: "nnch734d00sl2jdk",
      oauth_timestamp: "137131202",
      oauth_nonce: "chapoH",
    },
    secrets: ["kd94hf93k423kf44", "pfkkdhi9sl3r4s00"],
    signature: "MdpQcU8iPSUjWoN/UDMsK2sui9I=",
  },
  {
    name: "brackets, UTF-8 and an encoded path",
    request: {
      verb: "GET",
      origin: "https://api.example.test",
      path: "/v2/blog/t%3Aabc123/posts",
      queryString: "tag[0]=a%20b&tag[1]=c%2Bd&tag[2]=%C3%A9&tag[10]=z&npf=true",
    },
    oauth: {
      oauth_consumer_key: "ck1",
      oauth_token: "tk1",
      oauth_signature_method: "HMAC-SHA1",
      oauth_timestamp: "1700000000",
      oauth_nonce: "n1",
      oauth_version: "1.0",
    },
    secrets: ["cs1", "ts1"],
    baseString:
      "GET&https%3A%2F%2Fapi.example.test%2Fv2%2Fblog%2Ft%253Aabc123%2Fposts&npf%3Dtrue%26oauth_consumer_key%3Dck1%26oauth_nonce%3Dn1%26oauth_signature_method%3DHMAC-SHA1%26oauth_timestamp%3D1700000000%26oauth_token%3Dtk1%26oauth_version%3D1.0%26tag%255B0%255D%3Da%2520b%26tag%255B1%255D%3Dc%252Bd%26tag%255B10%255D%3Dz%26tag%255B2%255D%3D%25C3%25A9",
    signature: "sq5/2fubquViZAErX/CWSGtPHtY=",
  },
];

test.each(VECTORS)(
  "the signature of a known request is correct: $name",
  ({ request, oauth, secrets, baseString, signature }) => {
    const built = signatureBaseString(request, Object.entries(oauth));
    if (baseString !== undefined) expect(built).toBe(baseString);
    const [consumerSecret, tokenSecret] = secrets;
    expect(hmacSha1(built, { consumerSecret, tokenSecret })).toBe(signature);
  },
);

test.each(VECTORS)(
  "the signature in the header of a known request is correct: $name",
  ({ request, oauth, secrets, signature }) => {
    const [consumerSecret, tokenSecret] = secrets;
    const { oauth_signature_method, ...given } = oauth;
    const header = authorizationHeader(request, Object.entries(given), { consumerSecret, tokenSecret });
    expect(parseHeader(header)).toEqual({ ...given, oauth_signature_method, oauth_signature: signature });
  },
);

const text = fc.string({ unit: "grapheme", maxLength: 12 });
const pairs = fc.array(fc.tuple(text, text), { maxLength: 6 });

test("the base string equals an independently computed base string for any parameters", () => {
  fc.assert(
    fc.property(pairs, pairs, pairs, (query, form, oauth) => {
      const request = {
        verb: "post",
        origin: "https://api.example.test",
        path: "/a%2Fb",
        queryString: encodeLikeUs(query),
        form: new URLSearchParams(form).toString(),
      };
      const expected = independentBaseString("POST", "https://api.example.test/a%2Fb", [
        ...query,
        ...form,
        ...oauth,
      ]);
      expect(signatureBaseString(request, oauth)).toBe(expected);
    }),
  );
});

test("the base string does not depend on the order of parameters", () => {
  fc.assert(
    fc.property(pairs, (parameters) => {
      const base = (queryString: string) =>
        signatureBaseString({ verb: "GET", origin: "http://a", path: "/", queryString }, []);
      expect(base(encodeLikeUs([...parameters].reverse()))).toBe(base(encodeLikeUs(parameters)));
    }),
  );
});

test("the base string includes a question mark at the beginning of a query", () => {
  const request = { verb: "GET", origin: "http://a", path: "/", queryString: "?a=1" };
  expect(signatureBaseString(request, [])).toBe("GET&http%3A%2F%2Fa%2F&%253Fa%3D1");
});

function parseHeader(header: string): Record<string, string> {
  expect(header).toMatch(/^OAuth /);
  const items = header.slice("OAuth ".length).split(", ");
  return Object.fromEntries(
    items.map((item) => {
      const [, name = "", value = ""] = /^(\w+)="([^"]*)"$/.exec(item) ?? [];
      return [name, decodeURIComponent(value)];
    }),
  );
}

function encodeLikeUs(parameters: readonly Parameter[]): string {
  return parameters.map(([name, value]) => `${encodeBytes(name)}=${encodeBytes(value)}`).join("&");
}

/** Builds the base string byte by byte, sorted as buffers, without the code under test. */
function independentBaseString(verb: string, url: string, parameters: readonly Parameter[]): string {
  const encoded = parameters.map(([name, value]) => [encodeBytes(name), encodeBytes(value)] as const);
  encoded.sort(
    ([a, x], [b, y]) =>
      Buffer.compare(Buffer.from(a), Buffer.from(b)) || Buffer.compare(Buffer.from(x), Buffer.from(y)),
  );
  const normalized = encoded.map((pair) => pair.join("=")).join("&");
  return [verb, url, normalized].map(encodeBytes).join("&");
}

function encodeBytes(text: string): string {
  return [...Buffer.from(text, "utf8")]
    .map((byte) => {
      const char = String.fromCharCode(byte);
      return /[A-Za-z0-9\-._~]/.test(char) ? char : `%${byte.toString(16).toUpperCase().padStart(2, "0")}`;
    })
    .join("");
}

test("HMAC-SHA1 uses the encoded secrets as its key", () => {
  const expected = createHmac("sha1", "a%26b&%C3%A9").update("base").digest("base64");
  expect(hmacSha1("base", { consumerSecret: "a&b", tokenSecret: "é" })).toBe(expected);
});
