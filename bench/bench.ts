/** `npm run bench`: see README.md. */
import { type CodecFigures, measureCodec } from "./codec.ts";
import { benchGenerator } from "./generator.ts";
import { HELP, isWanted, type Options, readOptions } from "./options.ts";
import { describeMachine, record } from "./record.ts";
import { benchReliability } from "./reliability.ts";
import { callTables, codecTable } from "./report.ts";
import { measureCalls } from "./rounds.ts";
import { type Row, summarize } from "./summary.ts";
import { measureUpload, type UploadFigures, uploadLine } from "./upload.ts";
import { benchWatch } from "./watch.ts";

async function run(options: Options): Promise<void> {
  const machine = describeMachine();
  const { series, skipped } = await measureCalls(options);
  const rows = summarize(series);
  const codec = isWanted(options, "codec") ? measureCodec() : [];
  if (options.record) record({ ...machine, rounds: options.rounds, calls: rows, codec });
  print(
    options.json
      ? JSON.stringify({ options, skipped, calls: rows, codec }, null, 2)
      : [...skipped, tables(rows, codec, options)].join("\n\n"),
  );
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

function tables(rows: readonly Row[], codec: readonly CodecFigures[], options: Options): string {
  const parts = [
    ...(rows.length > 0 ? [callTables(rows, options)] : []),
    ...(codec.length > 0 ? [codecTable(codec)] : []),
  ];
  return parts.length > 0 ? parts.join("\n\n") : "--only: nothing has such a name";
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
  } else if (args[0] === "reliability") {
    await benchBounds(benchReliability, args.slice(1));
  } else if (args[0] === "watch") {
    await benchBounds(benchWatch, args.slice(1));
  } else {
    await benchCalls(args);
  }
} catch (error) {
  process.stderr.write(`bench: ${error instanceof Error ? error.message : String(error)}\n`);
  process.exitCode = 1;
}
