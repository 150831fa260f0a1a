/** `npm run bench`: see README.md. */
import { measureCodec } from "./codec.ts";
import { measureDirty } from "./dirty.ts";
import { benchFeatures } from "./features.ts";
import { benchGenerator } from "./generator.ts";
import { benchImport } from "./import.ts";
import { measureLarge } from "./large.ts";
import { HELP, isPartWanted, type Options, type Part, readOptions } from "./options.ts";
import { measurePair } from "./pair.ts";
import { measureProfile } from "./profile.ts";
import { describeMachine, record } from "./record.ts";
import { benchReliability } from "./reliability.ts";
import { resultTables } from "./report.ts";
import { measureCalls } from "./rounds.ts";
import { measureStart } from "./start.ts";
import { summarize } from "./summary.ts";
import { measureUpload, type UploadFigures, uploadLine } from "./upload.ts";
import { benchWatch } from "./watch.ts";
import { measureWorkers } from "./workers.ts";

async function run(options: Options): Promise<void> {
  const machine = describeMachine();
  const wants = (part: Part) => isPartWanted(options, part);
  const pair = wants("pair") ? await measurePair(options) : [];
  const measured = wants("calls") ? await measureCalls(options) : { series: [], others: [], skipped: [] };
  const { others, skipped } = measured;
  const calls = summarize(measured.series);
  const codec = wants("codec") ? measureCodec() : [];
  const dirty = wants("dirty") ? await measureDirty() : [];
  const workers = wants("workers") ? await measureWorkers(options) : [];
  const large = wants("large") ? await measureLarge(options) : [];
  const start = wants("start") ? await measureStart(options) : [];
  const profiles = wants("profile") ? await measureProfile(options) : [];
  const { rounds, turns, warmUp, calls: callsOfBurst } = options;
  const results = {
    rounds,
    turns,
    warmUp,
    callsOfBurst,
    skipped,
    others,
    pair,
    calls,
    codec,
    dirty,
    workers,
    large,
    start,
    profiles,
  };
  if (options.record) record({ ...machine, ...results });
  print(options.json ? JSON.stringify({ options, ...results }, null, 2) : resultTables(results, options));
}

async function benchCalls(args: readonly string[]): Promise<void> {
  const isUpload = args[0] === "upload";
  const options = readOptions(isUpload ? args.slice(1) : args);
  if (options === undefined) {
    print(HELP);
  } else if (isUpload) {
    print(uploadText(await measureUpload(), options));
  } else {
    await run(options);
  }
}

async function benchBounds(bench: typeof benchReliability, args: readonly string[]): Promise<void> {
  const { text, holds } = await bench(args);
  print(text);
  if (!holds) process.exitCode = 1;
}

function uploadText(figures: UploadFigures, { json }: Options): string {
  return json ? JSON.stringify(figures, null, 2) : uploadLine(figures);
}

function print(text: string): void {
  process.stdout.write(`${text}\n`);
}

try {
  const args = process.argv.slice(2);
  if (args[0] === "generator") {
    print(await benchGenerator(args.slice(1)));
  } else if (args[0] === "import") {
    await benchBounds(benchImport, args.slice(1));
  } else if (args[0] === "reliability") {
    await benchBounds(benchReliability, args.slice(1));
  } else if (args[0] === "features") {
    await benchBounds(benchFeatures, args.slice(1));
  } else if (args[0] === "watch") {
    await benchBounds(benchWatch, args.slice(1));
  } else {
    await benchCalls(args);
  }
} catch (error) {
  process.stderr.write(`bench: ${error instanceof Error ? error.message : String(error)}\n`);
  process.exitCode = 1;
}
