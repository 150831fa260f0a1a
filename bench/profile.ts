/** `npm run bench -- profile`: breaks down the processor time of a call. */
import { fileURLToPath } from "node:url";
import { callsOf, WARM_UP_BYTES } from "./burst.ts";
import { type GatewayCall, selectedCalls } from "./contestants.ts";
import type { Options } from "./options.ts";
import { LoadProcess, ServerProcess } from "./processes.ts";
import { progress } from "./progress.ts";
import type { Profiled } from "./servers/profiler.ts";

/** The share of a part in a call's processor time. */
export interface PartShare {
  readonly part: string;
  /** The share of the part's own code, without other parts that it calls. All own shares sum to 1. */
  readonly own: number;
  /** The share of the part and of everything that the part calls. */
  readonly inclusive: number;
}

/** The breakdown of processor time for one way to call the gateway. */
export interface ProfileFigures {
  readonly name: string;
  readonly page: string;
  readonly cpuMicroseconds: number;
  readonly parts: readonly PartShare[];
}

/** The calls that are profiled by default. */
const USUAL: readonly string[] = [
  "gateway Connect proto 1 KB",
  "gateway Connect proto 25 KB varied",
  "gateway Connect JSON 25 KB",
  "gateway gRPC 25 KB",
];

/** The parts, by the paths of their functions. The first match applies. */
const PARTS: readonly (readonly [part: string, path: RegExp])[] = [
  ["log", /gateway\/src\/log\/|node:internal\/fs\/|^node:fs/],
  ["metrics and traces", /gateway\/src\/(metrics|trace)\/|prom-client/],
  ["validation", /protovalidate|gateway\/src\/protocol\/validat/],
  ["decoder", /runtime\/src\/(decode|scan|json)\/|^wasm:|gen\/blog\//],
  ["upstream client (undici)", /node_modules\/undici|node:internal\/deps\/undici/],
  ["upstream client (own)", /runtime\/src\/(upstream|http)\//],
  ["runtime", /runtime\/src\//],
  ["gateway", /gateway\/src\//],
  ["protobuf-es and connect", /node_modules\/@(bufbuild|connectrpc)\//],
  ["node:http", /^node:(_http|internal\/http|internal\/js_stream_socket|http)/],
];

const SOCKETS = "sockets and streams";
const COLLECTOR = "garbage collection";
const NATIVE = "native code without a JavaScript frame (V8's `(program)`)";
const THREADS = "other threads (collector, compiler)";

/** Profiles the selected calls of the gateway, or the default ones. */
export async function measureProfile(options: Options): Promise<ProfileFigures[]> {
  const wanted = selectedCalls(options, "profile", USUAL);
  if (wanted.length === 0) return [];
  const upstream = await ServerProcess.start("upstream");
  const generator = await LoadProcess.start();
  try {
    const figures: ProfileFigures[] = [];
    for (const call of wanted) {
      progress(`profile: ${call.contestant.name}, ${call.page.label}`);
      figures.push(await profile(generator, upstream, call, options));
    }
    return figures;
  } finally {
    await Promise.all([upstream.stop(), generator.stop()]);
  }
}

async function profile(
  generator: LoadProcess,
  upstream: ServerProcess,
  { contestant, page }: GatewayCall,
  { warmUp, connections }: Options,
): Promise<ProfileFigures> {
  const { name, protocol } = contestant;
  const server = await ServerProcess.start("gateway", [`http://127.0.0.1:${upstream.port("http1")}`]);
  try {
    const target = { protocol, port: server.port(protocol), ...contestant.request(page) };
    const bodyBytes = (await generator.probe(target)).length;
    const run = (calls: number) => generator.burst({ key: "profile", target, connections, calls, bodyBytes });
    const calls = callsOf(page, warmUp, WARM_UP_BYTES);
    await run(calls);
    await server.ask("startProfile");
    await run(calls);
    const result = await server.ask<Profiled>("stopProfile");
    return { name, page: page.label, cpuMicroseconds: result.all / calls, parts: sharesOf(result) };
  } finally {
    await server.stop();
    await generator.close();
  }
}

type Node = Profiled["profile"]["nodes"][number];

/**
 * Returns the share of each part, largest first. A sample counts as own time of the part that is innermost on
 * the stack.
 */
export function sharesOf({ profile, main, all }: Profiled): PartShare[] {
  const parents = new Map<number, Node>();
  for (const node of profile.nodes) for (const child of node.children ?? []) parents.set(child, node);
  const own = new Map<string, number>();
  const inclusive = new Map<string, number>();
  const add = (to: Map<string, number>, part: string, count: number) =>
    to.set(part, (to.get(part) ?? 0) + count);
  for (const node of profile.nodes) {
    const count = node.hitCount ?? 0;
    if (count === 0 || node.callFrame.functionName === "(idle)") continue;
    const parts = partsOf(node, parents);
    add(own, parts[0] ?? SOCKETS, count);
    for (const part of new Set(parts)) add(inclusive, part, count);
  }
  const samples = [...own.values()].reduce((sum, count) => sum + count, 0);
  const ofMain = main / all / samples;
  const shares = [...own.keys(), ...inclusive.keys()].map((part) => ({
    part,
    own: (own.get(part) ?? 0) * ofMain,
    inclusive: (inclusive.get(part) ?? 0) * ofMain,
  }));
  const threads = { part: THREADS, own: 1 - main / all, inclusive: 1 - main / all };
  const unique = new Map([...shares, threads].map((share) => [share.part, share]));
  return [...unique.values()].toSorted((a, b) => b.own - a.own);
}

/**
 * Returns the parts on a node's stack, starting with the innermost. Without a match, the part is Node's own
 * code.
 */
function partsOf(leaf: Node, parents: ReadonlyMap<number, Node>): string[] {
  if (leaf.callFrame.functionName === "(garbage collector)") return [COLLECTOR];
  if (leaf.callFrame.functionName === "(program)") return [NATIVE];
  const parts: string[] = [];
  for (let node: Node | undefined = leaf; node !== undefined; node = parents.get(node.id)) {
    const part = partOf(node);
    if (part !== undefined) parts.push(part);
  }
  return parts.length > 0 ? parts : [SOCKETS];
}

function partOf({ callFrame: { url } }: Node): string | undefined {
  const path = url.startsWith("file:") ? fileURLToPath(url) : url;
  return PARTS.find(([, pattern]) => pattern.test(path))?.[0];
}
