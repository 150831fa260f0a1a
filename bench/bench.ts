/** `npm run bench`: see README.md. */
import { type CodecFigures, measureCodec } from "./codec.ts";
import { HELP, isWanted, type Options, readOptions } from "./options.ts";
import { callTables, codecTable } from "./report.ts";
import { measureCalls } from "./rounds.ts";
import { type Row, summarize } from "./summary.ts";
import { measureUpload, type UploadFigures, uploadLine } from "./upload.ts";

async function run(options: Options): Promise<void> {
  const rows = summarize(await measureCalls(options));
  const codec = isWanted(options, "codec") ? measureCodec() : [];
  print(
    options.json ? JSON.stringify({ options, calls: rows, codec }, null, 2) : tables(rows, codec, options),
  );
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
  const options = args[0] === "upload" ? readOptions(args.slice(1)) : readOptions(args);
  if (options === undefined) print(HELP);
  else if (args[0] === "upload") print(uploadText(await measureUpload(), options));
  else await run(options);
} catch (error) {
  process.stderr.write(`bench: ${error instanceof Error ? error.message : String(error)}\n`);
  process.exitCode = 1;
}
