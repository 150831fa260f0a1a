/**
 * Writes the pages of the site to `pages/`: the Markdown files of the repository, with links to the pages of
 * the site. A source file that a page links becomes a page, too.
 */
import {
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { dirname, extname, join, posix, relative } from "node:path";
import { anchor } from "../scripts/docs/markdown.ts";
import { PAGES } from "./navigation.ts";

const ROOT = join(import.meta.dirname, "..");
const OUT = join(import.meta.dirname, "pages");

/** Code, which stays as it is, or the target of a link. */
const CODE_OR_LINK = /^```.*?^```$|`[^`\n]+`|\]\(([^)\s]+)\)/gms;

const IMAGES: readonly string[] = [".png", ".svg"];

/** Languages of source files, by extension. Other files are shown as text. */
const LANGUAGES: Readonly<Record<string, string>> = { ".proto": "proto", ".ts": "ts", ".yaml": "yaml" };

/** Returns the path of a page or source file in `pages/`. */
export function pathInSite(file: string): string {
  if (file === "README.md") return "overview.md";
  if (PAGES.has(file)) return file.replace(/README\.md$/, "index.md");
  return posix.join("source", file, isFolder(file) ? "index.md" : "").replace(/(?<!\.md)$/, ".md");
}

/** Returns the page and text of an entry of the navigation. */
export function entryOf(entry: string): { text: string; link: string } {
  const [file = "", section] = entry.split("#");
  const link = `/${pathInSite(file).replace(/(index)?\.md$/, "")}`;
  if (section === undefined) return { text: titleOf(file), link };
  const heading = headingsOf(file).find((text) => anchor(text) === section);
  if (heading === undefined) {
    throw new Error(`site/navigation.ts: ${file} has no heading with the anchor ${section}`);
  }
  return { text: heading, link: `${link}#${section}` };
}

function titleOf(file: string): string {
  if (file === "README.md") return "Overview";
  if (file.endsWith(".api.md")) return `API of ${posix.basename(file, ".api.md")}`;
  return headingsOf(file)[0] ?? file;
}

function headingsOf(file: string): string[] {
  const markdown = readFileSync(join(ROOT, file), "utf8").replaceAll(/^```.*?^```$/gms, "");
  return [...markdown.matchAll(/^#+ (.*)$/gm)].map(([, text = ""]) => text.replaceAll("`", ""));
}

/** Writes all pages, the images that they show, and the source files that they link. */
export function writePages(): void {
  rmSync(OUT, { recursive: true, force: true });
  const linked = new Set<string>();
  for (const file of PAGES) write(pathInSite(file), rewritten(file, linked));
  // A page of a folder links more files, which the loop then visits.
  for (const file of linked) {
    if (IMAGES.includes(extname(file))) {
      cpSync(join(ROOT, file), join(OUT, file));
    } else {
      write(pathInSite(file), isFolder(file) ? folderPage(file, linked) : sourcePage(file));
    }
  }
  write("index.md", "---\nlayout: home\n---\n");
}

function rewritten(file: string, linked: Set<string>): string {
  return readFileSync(join(ROOT, file), "utf8").replaceAll(CODE_OR_LINK, (match, link?: string) => {
    if (link === undefined || /^(?:\w+:|#)/.test(link)) return match;
    const [path = "", section] = link.split("#");
    const target = posix.join(posix.dirname(file), path).replace(/\/$/, "");
    if (!existsSync(join(ROOT, target))) throw new Error(`${file}: the link ${link} leads to no file`);
    if (!PAGES.has(target)) linked.add(target);
    if (IMAGES.includes(extname(target))) return match;
    return `](${linkFrom(pathInSite(file), target)}${section === undefined ? "" : `#${section}`})`;
  });
}

function sourcePage(file: string): string {
  const text = readFileSync(join(ROOT, file), "utf8").trimEnd();
  const fence = "`".repeat(Math.max(3, ...[...text.matchAll(/`+/g)].map(([ticks]) => ticks.length + 1)));
  return unsearched(file, `${fence}${LANGUAGES[extname(file)] ?? "text"}\n${text}\n${fence}`);
}

function folderPage(folder: string, linked: Set<string>): string {
  const files = readdirSync(join(ROOT, folder)).map((name) => posix.join(folder, name));
  for (const file of files) if (!PAGES.has(file)) linked.add(file);
  const links = files.map((file) => `- [${posix.basename(file)}](${linkFrom(pathInSite(folder), file)})`);
  return unsearched(folder, links.join("\n"));
}

function unsearched(file: string, content: string): string {
  return `---\nsearch: false\n---\n\n# \`${file}\`\n\n${content}\n`;
}

function linkFrom(page: string, target: string): string {
  return posix.relative(posix.dirname(page), pathInSite(target));
}

function write(path: string, text: string): void {
  mkdirSync(dirname(join(OUT, path)), { recursive: true });
  writeFileSync(join(OUT, path), text);
}

function isFolder(file: string): boolean {
  return statSync(join(ROOT, file)).isDirectory();
}

if (import.meta.main) {
  writePages();
  process.stdout.write(`${PAGES.size} pages written to ${relative(process.cwd(), OUT)}\n`);
}
