import { defineConfig } from "vitepress";
import { anchor } from "../../scripts/docs/markdown.ts";
import { PATHS } from "../navigation.ts";
import { entryOf } from "../pages.ts";

const paths = PATHS.map(({ title, about, pages }) => ({
  title,
  about,
  entries: pages.map(entryOf),
}));

const HOME = {
  hero: {
    name: "connect-rest",
    text: "Call REST APIs as RPC",
    tagline:
      "Describe any JSON/HTTP API in .proto, and call it as Connect, gRPC or gRPC-Web, " +
      "through a gateway or in-process from TypeScript.",
    actions: ["README.md#first-call", "README.md#your-own-api-in-ten-minutes"].map(entryOf),
  },
  features: paths.map(({ title, about, entries }) => ({ title, details: about, link: entries[0]?.link })),
};

/** Returns the words of a text. A name with underscores is a word as a whole and in parts. */
function wordsOf(text: string): string[] {
  return text
    .split(/[^\p{L}\p{N}_]+/u)
    .flatMap((word) => (word.includes("_") ? [word, ...word.split("_")] : word))
    .filter((word) => word !== "");
}

export default defineConfig({
  srcDir: "pages",
  title: "connect-rest",
  description:
    "Call REST APIs as RPC: an annotation language, a protoc plugin, a runtime and a Connect gateway.",
  head: [["link", { rel: "icon", href: "data:," }]],
  // Links work on any file server, without rules for addresses that omit ".html".
  cleanUrls: false,
  markdown: {
    anchor: { slugify: (heading) => anchor(heading) },
    theme: { light: "github-light-high-contrast", dark: "github-dark-high-contrast" },
  },
  // The index of the search and the longest pages are larger than the bundler's advice.
  vite: { build: { chunkSizeWarningLimit: 1000 } },
  transformPageData(data) {
    if (data.relativePath === "index.md") Object.assign(data.frontmatter, HOME);
  },
  themeConfig: {
    nav: paths.map(({ title, entries }) => ({ text: title, link: entries[0]?.link ?? "/" })),
    sidebar: paths.map(({ title, entries }) => ({ text: title, collapsed: true, items: entries })),
    outline: [2, 3],
    search: {
      provider: "local",
      options: { detailedView: true, miniSearch: { options: { tokenize: wordsOf } } },
    },
    footer: { message: "Licensed under Apache-2.0." },
  },
});
