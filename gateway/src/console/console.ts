import { type DescService, toBinary } from "@bufbuild/protobuf";
import { FileDescriptorSetSchema } from "@bufbuild/protobuf/wkt";
import { errorToJson } from "@connectrpc/connect/protocol-connect";
import type { AccessRejection } from "connect-rest-authorization";
import { Page } from "../pages/page.ts";
import type { FindPage } from "../pages/pages.ts";
import { VERSION } from "../version.ts";
import type { ConsoleOptions } from "./options.ts";

/** The prefix of all paths of the console, except `/`. */
const PREFIX = "/console/";

/** A path below the prefix. No path of a method has this form, because names of methods contain no dots. */
const BELOW = /^\/console\/[^/]*\.[^/]*$/;

/** No inline code, no resource of another origin, no form, no frame. */
const CONTENT_SECURITY_POLICY = [
  ...["default-src 'none'", "script-src 'self'", "style-src 'self'", "connect-src 'self'"],
  ...["img-src 'self' data:", "base-uri 'none'", "form-action 'none'", "frame-ancestors 'none'"],
].join("; ");

/** The names of assets contain a hash of their contents. */
const ASSET = { "cache-control": "public, max-age=31536000, immutable" };

const INDEX = {
  "content-security-policy": CONTENT_SECURITY_POLICY,
  "cross-origin-opener-policy": "same-origin",
  "referrer-policy": "no-referrer",
};

const JSON_TYPE = "application/json";

/**
 * Creates a function that finds the pages of the console: `/`, and its scripts, styles and data below
 * `/console/`. Nothing is loaded before a browser opens the console. The page, its script and its styles are
 * the same for every gateway, and open to everybody. If callers are authorized, all data needs a token.
 */
export function createConsole(options: ConsoleOptions): FindPage {
  const data = new Map<string, () => Promise<Page>>([
    [`${PREFIX}about.json`, once(async () => new Page(200, JSON_TYPE, aboutText(options)))],
    [
      `${PREFIX}schema.binpb`,
      once(async () => new Page(200, "application/x-protobuf", await schemaBytes(options))),
    ],
    [`${PREFIX}comments.json`, once(async () => new Page(200, JSON_TYPE, await commentsText(options)))],
    [`${PREFIX}state.json`, async () => new Page(200, JSON_TYPE, JSON.stringify(await options.state()))],
  ]);
  return (path) => {
    if (path !== "/" && !BELOW.test(path)) return undefined;
    const build = data.get(path);
    if (build === undefined) return () => assetPage(path);
    return async (request) => {
      const found = await options.authenticate?.(request);
      return found !== undefined && "error" in found ? rejectionPage(found) : await build();
    };
  };
}

/** Returns a function that builds a page at its first call. */
function once(build: () => Promise<Page>): () => Promise<Page> {
  let page: Promise<Page> | undefined;
  return () => {
    page ??= build();
    return page;
  };
}

/** Returns an error of the Connect protocol, which the page can show. */
function rejectionPage({ error, status, headers }: AccessRejection): Page {
  return new Page(status, JSON_TYPE, JSON.stringify(errorToJson(error, undefined)), headers);
}

/** The pages of the assets, by path. All gateways of a process share them. */
let assets: Promise<ReadonlyMap<string, Page>> | undefined;

async function assetPage(path: string): Promise<Page> {
  assets ??= loadAssets();
  const page = (await assets).get(path);
  return page ?? new Page(404, "text/plain; charset=utf-8", "the console has no such page; reload it\n");
}

async function loadAssets(): Promise<ReadonlyMap<string, Page>> {
  const { ASSETS } = await import("../gen/console/assets.ts");
  return new Map(
    Object.entries(ASSETS).map(([path, { type, text }]) => [
      path,
      new Page(200, type, text, path === "/" ? INDEX : ASSET),
    ]),
  );
}

function aboutText({ services, examples, hasExplain }: ConsoleOptions): string {
  const names = services.map(({ typeName }) => typeName);
  return JSON.stringify({ version: VERSION, services: names, examples, hasExplain });
}

/** Returns a `google.protobuf.FileDescriptorSet` with the served methods only. */
async function schemaBytes({ services }: ConsoleOptions): Promise<Uint8Array> {
  const { createFileIndex } = await import("../reflection/file-index.ts");
  const { files } = createFileIndex(services);
  return toBinary(FileDescriptorSetSchema, {
    $typeName: "google.protobuf.FileDescriptorSet",
    file: [...files()],
  });
}

/** Returns the comments without those on services and methods that are not served. */
async function commentsText({ services, comments }: ConsoleOptions): Promise<string> {
  const served = new Set(services.flatMap(namesOf));
  const declared = new Set(services.flatMap(({ file }) => file.services.flatMap(namesOf)));
  const shown = [...(await comments())].filter(([name]) => served.has(name) || !declared.has(name));
  return JSON.stringify(Object.fromEntries(shown));
}

function namesOf({ typeName, methods }: DescService): string[] {
  return [typeName, ...methods.map(({ name }) => `${typeName}.${name}`)];
}
