/** Platforms and bundlers, and how to run a program with each. */
import { globSync } from "node:fs";
import { join } from "node:path";
import { type Installed, installed, run } from "../support/installed.ts";

/** The npm packages, at the tested versions, that contain the executables of other platforms. */
const TOOLS = {
  bun: { version: "1.4.4", file: "node_modules/@oven/*/bin/bun" },
  deno: { version: "2.9.6", file: "node_modules/@deno/*/deno" },
  workerd: { version: "1.20261117.1", file: "node_modules/@cloudflare/workerd-*/bin/workerd" },
} as const;

type Tool = keyof typeof TOOLS;

/** Installs the executable of a platform. */
async function installTool(name: Tool): Promise<Installed> {
  const { version, file } = TOOLS[name];
  const { path, problem } = await installed(`${name}-${version}`, async (draft) => {
    const options = ["--no-audit", "--no-fund", "--ignore-scripts", "--silent"];
    await run("npm", ["install", "--prefix", draft, ...options, `${name}@${version}`]);
  });
  if (problem !== undefined) return { path, problem };
  const [executable] = globSync(join(path, file));
  return { path: executable ?? "", problem: executable === undefined ? `${name} has no ${file}` : undefined };
}

export const INSTALL_TOOLS = (Object.keys(TOOLS) as Tool[]).map((name) => () => installTool(name));

/** How to run `run.ts`, or with `serve` the worker `worker.ts`, in a project. */
export interface Platform {
  /** The platform's name in the table of the runtime's page. */
  readonly name: string;
  /** The client that sends requests if the options name no client. */
  readonly client: "own connections" | "`fetch`";
  readonly tool?: Tool;
  /** Commands that build, without the last one, which runs the program. `TOOL` is the tool's executable. */
  readonly commands: readonly string[];
  /** The settings that the table shows. */
  readonly settings: string;
}

const ESBUILD = "esbuild --bundle --platform=node --log-level=error";

export const PLATFORMS: readonly Platform[] = [
  { name: "Node.js, ES modules", client: "own connections", commands: ["node run.ts"], settings: "" },
  {
    name: "Node.js, CommonJS",
    client: "own connections",
    commands: ["buf generate --template buf.gen.cjs.yaml", "tsc --project cjs", "node cjs/out/run.js"],
    settings: "`require`, and TypeScript that becomes CommonJS",
  },
  {
    name: "esbuild, ES modules",
    client: "own connections",
    commands: [`${ESBUILD} --format=esm --outfile=esm.mjs run.ts`, "node esm.mjs"],
    settings: "`--platform=node --format=esm`",
  },
  {
    name: "esbuild, CommonJS",
    client: "own connections",
    commands: [`${ESBUILD} --format=cjs --outfile=out.cjs call.ts`, "node -e 'require(`./out.cjs`).main()'"],
    settings: "`--platform=node --format=cjs`",
  },
  {
    name: "Rolldown",
    client: "own connections",
    commands: ["rolldown run.ts --platform node --format esm --file rolldown.mjs", "node rolldown.mjs"],
    settings: "`--platform node`",
  },
  {
    name: "Vite",
    client: "own connections",
    commands: ["vite build --logLevel error", "node vite/run.js"],
    settings: "`build.ssr`, `ssr.noExternal`",
  },
  {
    name: "Bun",
    client: "`fetch`",
    tool: "bun",
    commands: ["TOOL run run.ts"],
    settings: "",
  },
  {
    name: "Deno",
    client: "own connections",
    tool: "deno",
    commands: ["TOOL run --allow-all run.ts"],
    settings: "`--allow-net`, `--allow-env`, `--allow-read`, `--allow-sys`",
  },
  {
    name: "Cloudflare Workers (workerd)",
    client: "`fetch`",
    tool: "workerd",
    // the conditions of wrangler
    commands: [
      `${ESBUILD} --format=esm --conditions=workerd,worker,browser --outfile=worker.mjs worker.ts`,
      "TOOL serve worker.capnp",
    ],
    settings: "a bundle; `nodejs_compat`",
  },
];

/** Commands that bundle `run.ts` for browsers. The last command runs the bundle. */
export const BROWSER_BUNDLES: ReadonlyMap<string, readonly string[]> = new Map([
  ["esbuild", ["esbuild run.ts --bundle --format=esm --outfile=page.mjs --log-level=error", "node page.mjs"]],
  ["Rolldown", ["rolldown run.ts --platform browser --format esm --file page.mjs", "node page.mjs"]],
  ["Vite", ["vite build --config vite.page.js --logLevel error", "node page/run.js"]],
]);

export { installTool };
