import fc from "fast-check";
import { expect, test } from "vitest";
import { Address } from "./json-view.tsx";

const SCHEMES = ["javascript:", "data:text/html,", "vbscript:", "file:", "blob:http:", "view-source:http:"];
const SPACE = ["", " ", "\t", "\n", "\u0000", "\u001f", "\ufeff", "\u00a0"];

/** Addresses of all schemes, with the spaces and control characters that browsers ignore. */
const addresses = fc.oneof(
  fc.webUrl(),
  fc.string({ unit: "binary" }),
  fc
    .tuple(
      fc.constantFrom(...SPACE),
      fc.constantFrom(...SCHEMES, "http:", "HTTPS:", "https:", ""),
      fc.constantFrom("//", "/", "\\\\", "", "\t//"),
      fc.oneof(fc.string(), fc.constantFrom("a.example/", "alert(1)//http://a.example")),
    )
    .chain(([space, scheme, slashes, rest]) =>
      fc.nat(scheme.length).map((at) => scheme.slice(0, at) + space + scheme.slice(at) + slashes + rest),
    ),
);

interface Found {
  readonly href: string;
  readonly target: string;
  readonly rel: string;
}

/** Returns the properties of the links that an address renders. */
function linksOf(node: unknown): Found[] {
  if (Array.isArray(node)) return node.flatMap(linksOf);
  if (typeof node !== "object" || node === null || !("props" in node)) return [];
  const { props, type } = node as { type: unknown; props: Found & { readonly children?: unknown } };
  return [...(type === "a" ? [props] : []), ...linksOf(props.children)];
}

test("only http and https addresses become links, and no link reveals the page", () => {
  fc.assert(
    fc.property(addresses, (address) => {
      for (const { href, target, rel } of linksOf(Address({ address }))) {
        expect(href).toBe(address);
        // how a browser reads the address
        const { protocol } = new URL(URL.canParse(href) ? href : "http://invalid/");
        expect(["http:", "https:"]).toContain(protocol);
        expect([target, rel]).toEqual(["_blank", "noreferrer noopener"]);
      }
    }),
    { numRuns: 2000 },
  );
});

test.each(["http://a.example", "HTTPS://a.example/?q=1"])("%j is a link", (address) => {
  expect(linksOf(Address({ address, text: "a" }))).toMatchObject([{ href: address }]);
});

test.each(["javascript:alert(1)", " http://a.example", "//a.example", "http:a.example", "data:,http://a"])(
  "%j remains text",
  (address) => {
    expect(linksOf(Address({ address, text: address }))).toEqual([]);
  },
);
