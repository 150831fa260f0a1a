/** Tests what the site checks before and after it is built. `test/browser/site.test.ts` builds it. */

import fc from "fast-check";
import { expect, test } from "vitest";
import { trackedFiles } from "../../scripts/sources.ts";
import { problemsOf } from "../../site/check.ts";
import { PAGES, PATHS } from "../../site/navigation.ts";
import { entryOf } from "../../site/pages.ts";

test("each page of the documentation is in the navigation", () => {
  const pages = trackedFiles(".").filter(
    (file) => file.endsWith(".md") && !/^(?:\.github|dist|scripts|site|test)\//.test(file),
  );
  expect(pages.filter((file) => !PAGES.has(file))).toEqual([]);
});

test("each entry of the navigation is a page with a text, or a section of a page", () => {
  const entries = PATHS.flatMap(({ pages }) => pages);
  expect(new Set(entries).size).toBe(entries.length);
  for (const { text, link } of entries.map(entryOf)) {
    expect(text).not.toBe("");
    expect(link).not.toContain(".md");
  }
});

test("a section that a page lacks is reported", () => {
  expect(() => entryOf("README.md#no-such-section")).toThrow(
    "site/navigation.ts: README.md has no heading with the anchor no-such-section",
  );
});

const NAMES = ["a.html", "docs/b.html", "docs/c.html", "docs/index.html", "index.html"];
const IDS = ["one", "two"];

/** A link from a page, the path and the anchor that it names, and whether these exist. */
const links = fc.record({
  from: fc.constantFrom(...NAMES),
  to: fc.constantFrom(...NAMES, "none.html", "docs/none.html"),
  id: fc.constantFrom(undefined, ...IDS, "three"),
  isAbsolute: fc.boolean(),
});

test("a link is reported unless its page and its anchor exist", () => {
  fc.assert(
    fc.property(links, ({ from, to, id, isAbsolute }) => {
      const body = IDS.map((name) => `<h2 id="${name}"></h2>`).join("");
      const site = new Map(NAMES.map((name) => [name, body]));
      const up = from.includes("/") ? "../" : "";
      const address = `${isAbsolute ? "/" : up}${to}${id === undefined ? "" : `#${id}`}`;
      site.set(from, `${body}<a class="x" href="${address}">link</a>`);
      const isAlive = NAMES.includes(to) && id !== "three";
      expect(problemsOf(site)).toEqual(isAlive ? [] : [`${from}: the link ${address} has no target`]);
    }),
  );
});

test("the address of a folder leads to its index", () => {
  const site = new Map([
    ["index.html", '<a href="/docs/">docs</a><a href="/other/">other</a>'],
    ["docs/index.html", '<a href="/">home</a>'],
  ]);
  expect(problemsOf(site)).toEqual(["index.html: the link /other/ has no target"]);
});

/** Ways to load an address, by the type of the file. */
const LOADS: ReadonlyArray<readonly [file: string, load: (address: string) => string]> = [
  ["a.html", (address) => `<script src="${address}"></script>`],
  ["a.html", (address) => `<link rel="stylesheet" href="${address}">`],
  ["a.html", (address) => `<link rel="preconnect" href="${address}">`],
  ["a.html", (address) => `<img alt="" src="${address}">`],
  ["a.html", (address) => `<iframe src="${address}"></iframe>`],
  ["a.html", (address) => `<video poster="${address}"></video>`],
  ["a.html", (address) => `<object data="${address}"></object>`],
  ["a.html", (address) => `<svg><use xlink:href="${address}"/></svg>`],
  ["a.html", (address) => `<style>@font-face{src:url(${address})}</style>`],
  ["a.html", (address) => `<p style="background:url(&quot;${address}&quot;)"></p>`],
  ["a.html", (address) => `<script>fetch("${address}")</script>`],
  ["a.css", (address) => `a{background:url(${address})}`],
  ["a.css", (address) => `a{background:url( "${address}" )}`],
  ["a.css", (address) => `@import "${address}";`],
  ["a.js", (address) => `fetch("${address}")`],
  ["a.js", (address) => `import("${address}")`],
  ["a.js", (address) => `import x from"${address}"`],
  ["a.js", (address) => `new Worker('${address}')`],
  ["a.js", (address) => `new WebSocket("${address}")`],
  ["a.js", (address) => `navigator.sendBeacon(\`${address}\`)`],
  ["a.js", (address) => `r.open("GET","${address}")`],
  ["a.js", (address) => `s.src="${address}"`],
];

const FOREIGN = ["https://fonts.example/inter.woff2", "http://cdn.example/a.js", "//cdn.example/a.js"];

test.each(LOADS)("an address of another origin is reported in %s: %s", (file, load) => {
  for (const address of FOREIGN) {
    expect(problemsOf(new Map([[file, load(address)]]))).toEqual([
      `${file}: loads ${address} from another origin`,
    ]);
  }
  const own = new Map([
    [file, load("/assets/a.js")],
    ["assets/a.js", ""],
  ]);
  expect(problemsOf(own)).toEqual([]);
});

test("a link to another origin is not a load", () => {
  expect(problemsOf(new Map([["a.html", '<a href="https://connectrpc.com">Connect</a>']]))).toEqual([]);
});
